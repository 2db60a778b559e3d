/** The zone that this device lives in. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
