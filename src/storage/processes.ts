import { fileErrorCode } from './files.ts'

/** Whether another process of this number runs. Our own left nothing behind yet: in a container it is always 1. */
export function isRunning(processId: number): boolean {
  if (processId === process.pid) return false
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return fileErrorCode(error) === 'EPERM'
  }
}
