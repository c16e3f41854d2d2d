import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { admitTools } from '../../../src/mcp/admit-tools.ts';
import { definitionHash, modelDescription, modelSchema, type ToolDefinition } from '../../../src/mcp/definition.ts';
import { exposedName } from '../../../src/mcp/exposure.ts';

const tool = (fields: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name: 'search',
  description: 'Searches.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  ...fields,
});

function verdictOn(definition: ToolDefinition, rules: { readonly trust?: boolean; readonly pinned?: boolean } = {}) {
  const [verdict] = admitTools(
    {
      name: 'wiki',
      allowTools: [definition.name],
      toolsSha256: rules.pinned === false ? {} : { [definition.name]: definitionHash(definition) },
      trustWithoutHint: rules.trust ? [definition.name] : [],
    },
    [definition],
  );
  return verdict?.kind === 'disabled' ? verdict.reason : verdict?.exposedName;
}

describe('which tools of a server are exposed', () => {
  test('one that is allowed by name, reviewed by hash and read-only by its own word', () => {
    expect(verdictOn(tool())).toBe('mcp__wiki__search');
  });

  test('what is not in the allow-list does not exist', () => {
    expect(admitTools({ name: 'wiki', allowTools: [], toolsSha256: {}, trustWithoutHint: [] }, [tool()])).toEqual([]);
  });

  test.each([
    ['no hash', tool(), { pinned: false }, 'no_hash'],
    ['no annotations', tool({ annotations: undefined }), {}, 'no_read_only_hint'],
    ['an empty hint', tool({ annotations: {} }), {}, 'no_read_only_hint'],
    ['a hint that it writes', tool({ annotations: { readOnlyHint: false } }), {}, 'writes'],
    ['a hint that it writes, though trusted', tool({ annotations: { readOnlyHint: false } }), { trust: true }, 'writes'],
    ['read-only and destructive', tool({ annotations: { readOnlyHint: true, destructiveHint: true } }), {}, 'writes'],
    ['no object as input', tool({ inputSchema: { type: 'string' } }), {}, 'schema'],
    ['a schema elsewhere', tool({ inputSchema: { type: 'object', properties: { a: { $ref: 'https://a.example/' } } } }), {}, 'schema'],
    ['a broken schema', tool({ inputSchema: { type: 'object', properties: { a: { pattern: '(' } } } }), {}, 'schema'],
    ['a huge schema', tool({ inputSchema: { type: 'object', title: 'x'.repeat(20_000) } }), {}, 'schema'],
    ['a long name', tool({ name: 'a'.repeat(60) }), {}, 'name'],
  ] as const)('%s: not exposed', (_name, definition, rules, reason) => {
    expect(verdictOn(definition, rules)).toBe(reason);
  }); // prettier-ignore

  test('without a hint only where the operator trusts that very tool', () => {
    expect(verdictOn(tool({ annotations: undefined }), { trust: true })).toBe('mcp__wiki__search');
  });

  test.each([
    ['description', tool({ description: 'Searches!' })],
    ['input', tool({ inputSchema: { type: 'object', properties: { a: { type: 'string' } } } })],
    ['annotations', tool({ annotations: { readOnlyHint: true, destructiveHint: false } })],
  ])('a changed %s is another definition', (_name, changed) => {
    const rules = { name: 'wiki', allowTools: ['search'], trustWithoutHint: [] };
    const toolsSha256 = { search: definitionHash(tool()) };
    expect(admitTools({ ...rules, toolsSha256 }, [changed])).toMatchObject([{ reason: 'hash_mismatch' }]);
    expect(admitTools({ ...rules, toolsSha256 }, [tool()])).toMatchObject([{ kind: 'exposed' }]);
  });

  test('two tools that would get one name are both refused, as are two of the same name', () => {
    const listed = [tool({ name: 'a.b' }), tool({ name: 'a/b' }), tool({ name: 'c' }), tool({ name: 'c' })];
    const names = ['a.b', 'a/b', 'c'];
    const toolsSha256 = Object.fromEntries(listed.map((one) => [one.name, definitionHash(one)]));
    const verdicts = admitTools({ name: 'wiki', allowTools: names, toolsSha256, trustWithoutHint: [] }, listed);
    expect(verdicts).toMatchObject(names.map((name) => ({ kind: 'disabled', tool: name, reason: 'name' })));
  });

  test('the order of keys does not change a hash', () => {
    const a = { type: 'object', properties: { x: { type: 'string', title: 'X' } } };
    const b = { properties: { x: { title: 'X', type: 'string' } }, type: 'object' };
    expect(definitionHash(tool({ inputSchema: a }))).toBe(definitionHash(tool({ inputSchema: b })));
  });
});

describe('what the model reads of a definition', () => {
  test('any name becomes a legal tool name or none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (name) => {
        expect(exposedName('wiki', name) ?? 'none').toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });

  test('a description is visible, one line, at most a kilobyte of theirs, and marked as a stranger’s', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (said) => {
        const text = modelDescription('wiki', said);
        expect(text).toMatch(/^Third-party tool of the MCP server "wiki"/);
        expect(Buffer.byteLength(text)).toBeLessThan(1024 + 150);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  test('prose in a schema is cleaned; names of properties are not touched', () => {
    const schema = {
      $schema: 'x',
      type: 'object',
      properties: { description: { type: 'string', description: 'a\u202eb\nc' }, title: { type: 'string' } },
    };
    expect(modelSchema(schema)).toEqual({
      type: 'object',
      properties: { description: { type: 'string', description: 'ab c' }, title: { type: 'string' } },
    });
  });
});
