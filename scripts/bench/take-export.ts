// Downloads a file as a browser does, in a process of its own, one piece in memory at a time. Says the status and the bytes.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const [address, token, file] = process.argv.slice(2) as [string, string, string]
const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
const out = createWriteStream(file)
if (response.body !== null) await pipeline(Readable.fromWeb(response.body as never), out)
process.stdout.write(`${response.status} ${out.bytesWritten} bytes\n`)
