/** All zones that this browser knows, by their region: `Europe` -> `Europe/Berlin`. */
export function zonesByRegion(): ReadonlyMap<string, readonly string[]> {
  const regions = new Map<string, string[]>()
  for (const zone of ['UTC', ...Intl.supportedValuesOf('timeZone')]) {
    const region = zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : 'Other'
    const zones = regions.get(region) ?? []
    if (!zones.includes(zone)) zones.push(zone)
    regions.set(region, zones)
  }
  return regions
}
