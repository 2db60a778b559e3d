export function ScribePage() { return null }
