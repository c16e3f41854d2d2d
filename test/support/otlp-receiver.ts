import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Value = z.object({
  stringValue: z.string().optional(),
  intValue: z.number().optional(),
  doubleValue: z.number().optional(),
  arrayValue: z.unknown().optional(),
});
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value }) => [
        key,
        value.stringValue ?? value.intValue ?? value.doubleValue ?? JSON.stringify(value),
      ]),
    ),
  );
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: Attributes,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }),
});
export type ReceivedSpan = z.infer<typeof Span>;

const Body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export interface OtlpReceiver {
  /** For traces, as in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** Everything that came over the wire, as text. */
  text(): string;
  stop(): Promise<void>;
}

/** A collector on loopback that takes OTLP as JSON and keeps it. */
export async function startOtlpReceiver(status = 200): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let text = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      text += body;
      headers.push(request.headers);
      for (const { resource, scopeSpans } of Body.parse(JSON.parse(body)).resourceSpans) {
        resources.push(resource.attributes);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    resources,
    headers,
    text: () => text,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The spans as lines, children below their parents, indented, in order of arrival among siblings. */
export function spanTree(spans: readonly ReceivedSpan[]): readonly string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter(({ parentSpanId }) => (parentSpanId && known.has(parentSpanId) ? parentSpanId : undefined) === parent)
      .flatMap(({ name, spanId }) => [`${indent}${name}`, ...below(spanId, `${indent}  `)]);
  return below(undefined, '');
}
