import { lookup as dnsLookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

export interface HttpRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** PEM of the certificate authority to trust instead of the system's. */
  readonly ca?: string;
  /** PEM of our own certificate and its key, for servers that know their clients by those. */
  readonly cert?: string;
  readonly key?: string;
  /** Name that the server's certificate has to carry, where it is not that of the address. */
  readonly serverName?: string;
  /** Asked for every address the host resolves to, after resolution; false refuses the connection. */
  readonly allowAddress?: (address: string) => boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export type HttpFailure = 'timeout' | 'aborted' | 'too-large' | 'refused-address' | 'network';

/** The request got no complete answer. */
export class HttpRequestError extends Error {
  override readonly name = 'HttpRequestError';
  readonly failure: HttpFailure;
  constructor(failure: HttpFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/**
 * One HTTP request with a deadline and a size cap. Follows no redirects: a redirect is an answer like any other. node:http instead
 * of fetch, because Node 20's fetch takes neither a certificate authority nor a look-up function, and the address check has to
 * happen on the address that is then connected to (DNS rebinding).
 */
export function httpRequest(request: HttpRequest): Promise<HttpAnswer> {
  const url = new URL(request.url);
  const host = url.host;
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
  const fail = (error: unknown): HttpRequestError => {
    if (error instanceof HttpRequestError) return error;
    if (deadline.aborted)
      return new HttpRequestError('timeout', `${host} did not answer within ${request.timeoutMs} ms`);
    if (request.signal?.aborted) return new HttpRequestError('aborted', `the request to ${host} was cancelled`);
    const { code, message } = error as Partial<NodeJS.ErrnoException>;
    const reason = code ?? message ?? String(error);
    return new HttpRequestError('network', `${host} cannot be reached: ${reason}`, { cause: error });
  };

  return new Promise((resolve, reject) => {
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (request.allowAddress && isIP(literal) && !request.allowAddress(literal)) {
      reject(new HttpRequestError('refused-address', `${host} is an address that is not allowed here`));
      return;
    }
    const options: https.RequestOptions = {
      method: request.method ?? 'GET',
      headers: {
        ...request.headers,
        ...(request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }),
      },
      signal,
      ...(request.ca === undefined ? {} : { ca: request.ca }),
      ...(request.cert === undefined ? {} : { cert: request.cert }),
      ...(request.key === undefined ? {} : { key: request.key }),
      ...(request.serverName === undefined ? {} : { servername: request.serverName }),
      // No shared agent: a connection that somebody else opened to the same host was not checked.
      ...(request.allowAddress ? { lookup: guardedLookup(request.allowAddress), agent: false } : {}),
    };
    const send = url.protocol === 'https:' ? https.request : http.request;
    try {
      const outgoing = send(url, options, (response) => {
        readBody(response, request.maxBytes, host).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          (error: unknown) => reject(fail(error)),
        );
      });
      outgoing.on('error', (error) => reject(fail(error)));
      outgoing.end(request.body);
    } catch (cause) {
      // Credentials that do not decode, a header with a character that none may have.
      const message = cause instanceof Error ? cause.message : String(cause);
      reject(new HttpRequestError('network', `${host} cannot be asked: ${message}`, { cause }));
    }
  });
}

async function readBody(response: http.IncomingMessage, maxBytes: number, host: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw new HttpRequestError('too-large', `the answer of ${host} is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A look-up that refuses a host as soon as one of its addresses is not allowed. */
export function guardedLookup(allowAddress: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const refused = addresses.find((entry) => !allowAddress(entry.address));
      if (refused) {
        const message = `${hostname} resolves to ${refused.address}, an address that is not allowed here`;
        return callback(new HttpRequestError('refused-address', message), '', 0);
      }
      if (options.all) return callback(null, addresses);
      const first = addresses[0];
      if (!first) return callback(new Error(`no address for ${hostname}`), '', 0);
      return callback(null, first.address, first.family);
    });
  };
}
