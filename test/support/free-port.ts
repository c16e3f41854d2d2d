import { createServer } from 'node:net';

/** Of 10,000 to 30,000 a part for each of jest's workers, which run at the same time and do not know of each other. */
const PORTS_A_WORKER = 5000;
const FIRST_PORT = 10_000 + (Number(process.env['JEST_WORKER_ID'] ?? 0) % 4) * PORTS_A_WORKER;
const given = new Set<number>();

/**
 * A loopback port for programs that cannot pick one themselves, and for addresses at which nobody answers. It stays free until its program listens, which
 * may take seconds, and while a program that was killed is not there again: the system gives clients ports of another range, and a test file is given none twice unless it asks for very many.
 */
export async function freePort(): Promise<number> {
  if (given.size > PORTS_A_WORKER / 2) given.clear();
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS_A_WORKER);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
