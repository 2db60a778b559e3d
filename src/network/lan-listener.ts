import { createServer, type Server, type Socket } from 'node:net'

/** A port on one address of a local network. */
export interface LanListener {
  readonly address: string
  readonly port: number
  /**
   * Takes no more callers and hangs up on all there are, in the middle of an answer too. `spared` may finish what it is at:
   * who closes the network from a phone is to hear that it is done.
   */
  close(spared?: string): Promise<void>
}

export interface LanListenerOptions {
  readonly address: string
  readonly port: number
  /** How many ports from the first one on may be tried where it is taken. */
  readonly tries: number
  readonly mostConnections: number
  /** Gets each caller, as a server that listens by itself would. */
  accept(socket: Socket): void
}

/** Who may finish has this long, in milliseconds. */
const sparedMs = 1000

/**
 * Listens on one address. The callers are handed over to a server that listens elsewhere, so that all of its limits and
 * checks hold for them, and it need not be started anew.
 * @throws the system's error where the address is gone or its ports are taken.
 */
export async function openLanListener(options: LanListenerOptions): Promise<LanListener> {
  const { address, mostConnections, accept } = options
  const callers = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    callers.add(socket)
    socket.once('close', () => callers.delete(socket))
    accept(socket)
  })
  server.maxConnections = mostConnections
  const port = await listen(server, options)
  server.on('error', () => {})
  return {
    address,
    port,
    async close(spared) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of callers) {
        if (spared === undefined || socket.remoteAddress !== spared) socket.destroy()
        else setTimeout(() => socket.destroy(), sparedMs)
      }
      if (callers.size === 0) await closed
    },
  }
}

async function listen(server: Server, { address, port, tries }: LanListenerOptions): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    const next = port + attempt
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host: address, port: next, exclusive: true }, () => {
          server.off('error', reject)
          resolve()
        })
      })
      return next
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || attempt + 1 >= tries || next >= 65_535) throw error
    }
  }
}
