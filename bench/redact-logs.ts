import { pick, seededRandom } from './seeded-random.ts';
import { drawFrom, secretTexts } from './secret-texts.ts';

const WORDS =
  'request served order created from cache miss for user retry connection to upstream closed slow query took payment accepted item added refresh token renewed session opened config reloaded key evicted batch flushed partition assigned consumer lag health check passed'.split(
    ' ',
  );
const SERVICES = ['checkout', 'cart', 'payment', 'auth-gateway', 'inventory'];
/** One line in so many holds a secret: a bad day, not a bad minute. */
const LINES_PER_SECRET = 200;

/** Logs as a cluster writes them: JSON, access logs, logfmt, Java, stack traces, Kubernetes, with a secret now and then. */
export function mixedLogs(seed: number, bytes: number): string {
  const random = seededRandom(seed);
  const { of, hex } = drawFrom(seed);
  const digits = (length: number) => of('0123456789', length);
  const words = (count: number) => Array.from({ length: count }, () => pick(random, WORDS)).join(' ');
  const at = () => `2026-11-${10 + Math.floor(random() * 19)}T0${digits(1)}:1${digits(1)}:2${digits(1)}.${digits(3)}Z`;
  const service = () => pick(random, SERVICES);
  const kinds = [
    () => JSON.stringify({ time: at(), level: 'info', service: service(), trace_id: hex(32), msg: words(9), path: `/api/v1/orders/${hex(24)}?page=2` }),
    () => `10.0.3.${digits(2)} - - [12/Nov/2026:10:11:12 +0000] "GET /api/v1/items/${digits(6)} HTTP/1.1" 200 ${digits(4)} "https://shop.example.com/" "Mozilla/5.0 (X11; Linux x86_64)"`,
    () => `ts=${at()} level=debug caller=handler.go:${digits(3)} component=${service()} msg="${words(7)}" addr=10.0.0.1:${digits(4)} took=${digits(2)}ms`,
    () => `${at()} WARN [${service()},${hex(16)},${hex(8)}] com.acme.${service()}.OrderService - ${words(8)} id=${hex(8)}-${hex(4)}`,
    () => `\tat com.acme.shop.${of('abcdefgh', 6)}.Handler.invoke(Handler.java:${digits(3)})`,
    () => `I1112 10:11:12.${digits(6)} 1 event.go:294] "Event occurred" object="shop/${service()}-${hex(9)}" message="Container image \\"ghcr.io/acme/shop@sha256:${hex(64)}\\" already present"`,
  ]; // prettier-ignore
  const secrets = secretTexts(seed, 1).map(({ text }) => text);
  const lines: string[] = [];
  for (let length = 0; length < bytes;) {
    const line = random() < 1 / LINES_PER_SECRET ? pick(random, secrets) : pick(random, kinds)();
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join('\n').slice(0, bytes);
}
