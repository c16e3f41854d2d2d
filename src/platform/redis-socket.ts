import { connect } from 'node:net';

/** What is behind a unix socket. `silent`: something holds it and does not answer, such as a server that is shutting down. */
export type SocketState =
  | { readonly kind: 'none' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'server'; readonly version: string; readonly pid: number; readonly ready: boolean };

const ANSWER_TIMEOUT_MS = 1000;

/** Asks the Redis behind a unix socket who it is. Never throws. */
export async function probeRedisSocket(socketPath: string): Promise<SocketState> {
  const answer = await ask(socketPath, 'INFO server\r\nPING\r\nQUIT\r\n');
  if (answer === undefined) return { kind: 'none' };
  const version = /^(?:valkey_version|redis_version):(\S+)/m.exec(answer)?.[1];
  if (version === undefined) return { kind: 'silent' };
  const pid = Number(/^process_id:(\d+)/m.exec(answer)?.[1] ?? 0);
  return { kind: 'server', version, pid, ready: answer.includes('+PONG') };
}

/** Ends the server behind the socket; it writes its append-only file first. */
export async function shutDownRedis(socketPath: string): Promise<void> {
  await ask(socketPath, 'SHUTDOWN NOSAVE\r\n');
}

/** Sends commands and reads until the server closes; undefined when nobody listens. */
function ask(socketPath: string, commands: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ path: socketPath }, () => socket.write(commands));
    socket.setEncoding('utf8').setTimeout(ANSWER_TIMEOUT_MS, () => {
      socket.destroy();
      resolve(answer);
    });
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const nobody = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTSOCK';
      resolve(nobody ? undefined : answer);
    });
    socket.on('close', () => resolve(answer));
  });
}
