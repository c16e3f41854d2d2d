import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** What a service reads from its configuration file, again at every SIGHUP. */
export interface ServiceSettings {
  readonly port: number;
  readonly peers: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, number>>;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** What a route sees of its request; everything done through it carries the trace id. */
export interface Context {
  readonly query: URLSearchParams;
  setting(name: string): number;
  log(level: LogLevel, message: string): void;
  /** Calls a peer. Answers 504 when it did not answer within `timeoutMs`, 502 when it could not be reached. */
  call(peer: string, path: string, timeoutMs: number): Promise<Reply>;
}

export type LogLevel = 'INFO' | 'WARN' | 'ERROR';
export type Routes = Readonly<Record<string, (context: Context) => Promise<Reply>>>;

/** The part of a service that is its own. `build` runs once, before the first request. */
export interface ServiceDefinition {
  readonly name: string;
  build(parts: { readonly metrics: Registry; readonly setting: (name: string) => number }): Routes;
}

const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10];

/** Serves a definition on 127.0.0.1 with metrics, JSON logs on stdout, trace ids and configuration that SIGHUP reloads. */
export function runService(definition: ServiceDefinition, configFile: string): void {
  let config = readSettings(configFile);
  const metrics = createMetrics();
  const log = writeLog(definition.name);
  const setting = (name: string) => {
    const value = config.settings[name];
    if (value === undefined) throw new Error(`setting ${name} is missing in ${configFile}`);
    return value;
  };
  const routes = definition.build({ metrics: metrics.registry, setting });
  const contextOf = (query: URLSearchParams, traceId: string): Context => ({
    query,
    setting,
    log: (level, message) => log(level, message, traceId),
    call: (peer, path, timeoutMs) => callPeer({ peer, path, timeoutMs, traceId, config, metrics }),
  });

  const server = createServer((request, response) => void answer({ request, response, routes, metrics, contextOf }));
  server.listen(config.port, '127.0.0.1', () => log('INFO', `listening on port ${config.port}`));
  process.on('SIGHUP', () => {
    const before = config;
    config = readSettings(configFile);
    for (const [name, value] of Object.entries(config.settings)) {
      if (before.settings[name] === value) continue;
      log('INFO', `configuration reloaded: ${name} changed from ${before.settings[name]} to ${value}`);
    }
  });
  process.on('SIGTERM', () => {
    log('INFO', 'shutting down');
    server.close();
    // Callers keep their connections open; what is being answered gets a moment.
    setTimeout(() => process.exit(0), 500);
  });
  // A service must not outlive the recorder that started it.
  process.on('disconnect', () => process.exit(0));
}

function writeLog(service: string) {
  return (level: LogLevel, message: string, traceId?: string) => {
    const line = { time: Date.now() / 1000, service, level, message, ...(traceId ? { trace_id: traceId } : {}) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly routes: Routes;
  readonly metrics: ServiceMetrics;
  readonly contextOf: (query: URLSearchParams, traceId: string) => Context;
}

async function answer({ request, response, routes, metrics, contextOf }: Exchange): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/metrics') return send(response, 200, await metrics.registry.metrics(), 'text/plain');
  const route = routes[url.pathname];
  if (!route) return send(response, 404, '{}');
  const context = contextOf(url.searchParams, String(request.headers['x-trace-id'] ?? randomBytes(4).toString('hex')));
  const end = metrics.served.startTimer({ route: url.pathname });
  const reply = await route(context).catch((error: unknown): Reply => {
    context.log('ERROR', `unhandled: ${String(error)}`);
    return { status: 500, body: {} };
  });
  end({ status: String(reply.status) });
  metrics.requests.inc({ route: url.pathname, status: String(reply.status) });
  send(response, reply.status, JSON.stringify(reply.body));
}

function readSettings(file: string): ServiceSettings {
  return JSON.parse(readFileSync(file, 'utf8')) as ServiceSettings;
}

type ServiceMetrics = ReturnType<typeof createMetrics>;

function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    served: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer a request.',
      labelNames: ['route', 'status'],
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    requests: new Counter({
      name: 'http_requests_total',
      help: 'Requests answered.',
      labelNames: ['route', 'status'],
      registers,
    }),
    called: new Histogram({
      name: 'http_client_request_duration_seconds',
      help: 'Time until a peer answered or was given up.',
      labelNames: ['peer', 'status'],
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    inFlight: new Gauge({
      name: 'http_client_requests_in_flight',
      help: 'Calls that wait for a peer.',
      labelNames: ['peer'],
      registers,
    }),
  };
}

interface Call {
  readonly peer: string;
  readonly path: string;
  readonly timeoutMs: number;
  readonly traceId: string;
  readonly config: ServiceSettings;
  readonly metrics: ServiceMetrics;
}

async function callPeer({ peer, path, timeoutMs, traceId, config, metrics }: Call): Promise<Reply> {
  const end = metrics.called.startTimer({ peer });
  metrics.inFlight.inc({ peer });
  try {
    const response = await fetch(`${config.peers[peer]}${path}`, {
      headers: { 'x-trace-id': traceId },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const reply = { status: response.status, body: await response.json() };
    end({ status: String(reply.status) });
    return reply;
  } catch (error) {
    const status = error instanceof Error && error.name === 'TimeoutError' ? 504 : 502;
    end({ status: String(status) });
    return { status, body: {} };
  } finally {
    metrics.inFlight.dec({ peer });
  }
}

function send(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}
