import { createServer } from 'node:net';

/** Rejects with the error of `listen` (EADDRINUSE, EACCES, …) when the address cannot be had now. It is given back at once. */
export function requireFreeAddress(host: string, port: number): Promise<void> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => server.close(() => resolve()));
  });
}
