export function SeatPage() { return null }
