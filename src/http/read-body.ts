import type { IncomingMessage } from 'node:http';

/** The sender closed the connection before the end of the body: there is nobody to answer. */
export class BodyAborted extends Error {
  override readonly name = 'BodyAborted';
}

/** The body is larger than allowed. What follows is not kept. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** The whole body. Rejects with `BodyTooLarge` as soon as that is known, with `BodyAborted` when the sender goes away. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > maxBytes) {
      reject(new BodyTooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.off('data', onData);
      reject(new BodyTooLarge());
    };
    request.on('data', onData);
    request.on('end', () => {
      request.off('close', onClose);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('error', (error) => reject(new BodyAborted('the request ended early', { cause: error })));
    // Every request closes: without the body's end before, its sender has gone.
    const onClose = () => reject(new BodyAborted('the request ended early'));
    request.on('close', onClose);
  });
}
