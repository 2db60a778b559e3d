import type { FastifyInstance } from 'fastify'

/** How long a body that is no upload may take to arrive. The largest has 8 MiB. Routes say `upload` of what may take longer. */
const bodyMs = 60_000

/** Ends a connection whose request body trickles in (slowloris): uploads and documents alone may take longer. */
export function limitBodyTime(app: FastifyInstance, milliseconds: number = bodyMs): void {
  app.addHook('preParsing', (request, _, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers
    if (length === undefined && coding === undefined) return done(null, payload)
    const isUpload = request.headers['content-type']?.startsWith('multipart/') || request.routeOptions.config.longBody
    if (!isUpload) {
      const timer = setTimeout(() => request.raw.destroy(), milliseconds).unref()
      const clear = (): void => clearTimeout(timer)
      request.raw.once('end', clear).once('close', clear)
    }
    done(null, payload)
  })
}
