import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionPool, PoolTimeout } from './connection-pool.ts';
import type { Context, Reply, ServiceDefinition } from './service.ts';

const ok = (body: unknown): Reply => ({ status: 200, body });
/** Work takes a little longer at times, as it does. */
const workMs = (mean: number) => mean * (0.7 + 0.5 * Math.random() + (Math.random() < 0.03 ? 0.8 : 0));

const storefront: ServiceDefinition = {
  name: 'storefront',
  build: () => ({
    '/': async (context) => {
      const products = await context.call('catalogue', '/products', 1000);
      context.log('INFO', `GET / answered ${products.status}`);
      return { status: products.status === 200 ? 200 : 502, body: {} };
    },
    '/order': async (context) => {
      const cart = context.query.get('cart') ?? 'none';
      const order = await context.call('checkout', `/orders?cart=${cart}`, 6000);
      if (order.status === 200) {
        context.log('INFO', `POST /order cart=${cart} answered 200`);
        return ok({});
      }
      context.log('ERROR', `POST /order cart=${cart} failed: checkout answered ${order.status}`);
      return { status: order.status === 504 ? 504 : 502, body: {} };
    },
  }),
};

const catalogue: ServiceDefinition = {
  name: 'catalogue',
  build: () => ({
    '/products': async (context) => {
      await sleep(workMs(context.setting('render_ms')));
      context.log('INFO', 'listed 24 products');
      return ok({ products: 24 });
    },
    '/price': async (context) => {
      await sleep(workMs(5));
      return ok({ cents: Number(context.query.get('cart') ?? 0) * 7 });
    },
  }),
};

const checkout: ServiceDefinition = {
  name: 'checkout',
  build: () => ({
    '/orders': async (context) => {
      const cart = context.query.get('cart') ?? 'none';
      await context.call('catalogue', `/price?cart=${cart}`, 1000);
      const charge = await context.call('payments', `/charge?cart=${cart}`, context.setting('payments_timeout_ms'));
      if (charge.status !== 200) {
        context.log('ERROR', `order for cart ${cart} not placed: payments answered ${charge.status}`);
        return { status: charge.status === 504 ? 504 : 502, body: {} };
      }
      context.log('INFO', `order for cart ${cart} placed`);
      return ok({});
    },
  }),
};

const payments: ServiceDefinition = {
  name: 'payments',
  build: ({ metrics, setting }) => {
    const pool = new ConnectionPool(() => setting('db_pool_max'), metrics);
    return {
      '/charge': async (context) => {
        const cart = context.query.get('cart') ?? 'none';
        const waitMs = setting('db_pool_acquire_timeout_ms');
        try {
          await pool.use(waitMs, () => writeLedger(context, cart));
          context.log('INFO', `charged cart ${cart}`);
          return ok({});
        } catch (error) {
          if (!(error instanceof PoolTimeout)) throw error;
          const { inUse, max, waiting } = pool.state();
          context.log(
            'ERROR',
            `connection pool exhausted: no connection to ledger-db within ${waitMs} ms (${inUse} of ${max} in use, ${waiting} waiting)`,
          );
          return { status: 503, body: {} };
        }
      },
    };
  },
};

/** One transaction: three statements on the same connection. */
async function writeLedger(context: Context, cart: string): Promise<void> {
  for (const statement of ['reserve', 'insert', 'commit']) {
    const reply = await context.call('ledger-db', `/query?statement=${statement}&cart=${cart}`, 5000);
    if (reply.status !== 200) throw new Error(`ledger-db answered ${reply.status} to ${statement}`);
  }
}

const ledgerDb: ServiceDefinition = {
  name: 'ledger-db',
  build: () => ({
    '/query': async (context) => {
      const tookMs = workMs(context.setting('query_ms'));
      await sleep(tookMs);
      if (tookMs > 220)
        context.log('WARN', `slow statement ${context.query.get('statement')}: ${Math.round(tookMs)} ms`);
      return ok({});
    },
  }),
};

export const DEFINITIONS: readonly ServiceDefinition[] = [storefront, catalogue, checkout, payments, ledgerDb];

/** Who calls whom, as written above. */
export const CALLS: readonly (readonly [from: string, to: string])[] = [
  ['storefront', 'catalogue'],
  ['storefront', 'checkout'],
  ['checkout', 'catalogue'],
  ['checkout', 'payments'],
  ['payments', 'ledger-db'],
];

export const SETTINGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  storefront: {},
  catalogue: { render_ms: 20, cache_seconds: 30 },
  checkout: { payments_timeout_ms: 2500 },
  payments: { db_pool_max: 16, db_pool_acquire_timeout_ms: 2000 },
  'ledger-db': { query_ms: 130 },
};
