export async function makeInstallers(_: unknown): Promise<string[]> {
  return []
}
export function writeHashes(): void {}
