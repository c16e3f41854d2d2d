import { describe, expect, test } from '@jest/globals';
import { TemplateMiner } from '../../../../src/funnel/logs/template-miner.ts';

function templateOf(line: string): string {
  const miner = new TemplateMiner();
  const id = miner.add(line);
  miner.finish();
  return miner.template(miner.group(id));
}

describe('requests that are written without quotes', () => {
  test.each([
    ['GET /product 500 2197ms', 'GET /product status=5xx'],
    ['{"level":50,"msg":"GET /orders/17 200 12ms"}', 'GET /orders/<*> status=2xx'],
    ['404 GET /f/no1 (127.0.0.1) 0.41ms', 'GET /f/<*> status=4xx'],
    ['took 404 GET /f/no1 long', 'took <*> long'],
    ['POST /api/x/7 responded 400', '<*> responded <*>'],
    ['cache miss for GET /product/17', 'cache miss for <*>'],
    ['GET /product', 'GET <*>'],
    ['get /product 500', 'get <*>'],
  ])('%s', (line, template) => {
    expect(templateOf(line)).toBe(template);
  });

  test.each(['GET /product 500 12ms', '500 GET /product (10.0.0.7) 12ms'])('one status is not another: %s', (line) => {
    const miner = new TemplateMiner();
    const ids = [line, line.replace('500', '200')].map((each) => miner.add(each));
    miner.finish();
    expect(new Set(ids.map((id) => miner.template(miner.group(id)))).size).toBe(2);
  });

  test('a line of nothing but fields keeps them; behind a message a dump of ten is one value', () => {
    const fields = Array.from({ length: 10 }, (_, i) => `${'abcdefghij'[i]}${'klmnopqrst'[i]}=${i}`).join(' ');
    expect(templateOf(`closed ${fields}`)).toBe('closed <*>');
    expect(templateOf(`closed ${fields.replace(/ \w+=9$/, '')}`)).toContain('ak=<*> bl=<*>');
  });
});
