import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Server, createServer, request } from 'node:http'
import { newFolder } from '../sample-tree.ts'
import { toolFile } from '../tools.ts'

/** An S3 server on loopback, with a door before it that counts what is written and may shut. */
export interface S3 {
  readonly endpoint: string
  readonly puts: () => string[]
  readonly removals: () => string[]
  /** Called before each write passes; when it answers false, the connection is cut instead. */
  onPut: (count: number) => boolean
  readonly close: () => Promise<void>
}

export const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' }
export const BUCKET = 'mkt'

export async function s3Server(): Promise<S3> {
  const { child, port } = await startS3rver()
  const puts: string[] = []
  const removals: string[] = []
  const door = createServer((incoming, answer) => {
    const key = decodeURIComponent((incoming.url ?? '').split('?')[0] ?? '').replace(`/${BUCKET}/`, '')
    if (incoming.method === 'PUT') {
      if (!server.onPut(puts.length + 1)) {
        incoming.socket.destroy()
        return
      }
      puts.push(key)
    }
    if (incoming.method === 'DELETE') removals.push(key)
    // The signature covers the Host header, so it goes on as it came.
    const { url, method, headers } = incoming
    const onward = request({ host: '127.0.0.1', port, path: url, method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(answer)
    })
    onward.on('error', () => incoming.socket.destroy())
    incoming.pipe(onward)
  })
  const server: S3 = {
    endpoint: `http://127.0.0.1:${await listening(door)}`,
    puts: () => puts.splice(0),
    removals: () => removals.splice(0),
    onPut: () => true,
    async close() {
      door.closeAllConnections()
      door.close()
      child.kill()
      await once(child, 'exit')
    },
  }
  return server
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

function startS3rver(): Promise<{ child: ChildProcess; port: number }> {
  const bin = toolFile('s3rver/bin/s3rver.js')
  const args = ['--directory', newFolder(), '--address', '127.0.0.1', '--port', '0', '--configure-bucket', BUCKET]
  // It makes the tokens of its pages with DES, which OpenSSL 3 keeps among the legacy ciphers.
  const child = spawn(process.execPath, ['--openssl-legacy-provider', bin, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let text = ''
    const look = (chunk: Buffer) => {
      text += chunk.toString()
      const port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1]
      if (port !== undefined) resolve({ child, port: Number(port) })
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('exit', () => reject(new Error(`the S3 server ended: ${text}`)))
  })
}
