/** What the API would refuse: `path: why`, in the words of an `invalid_request_error`. */
class Refused extends Error {}

type Json = Readonly<Record<string, unknown>>;

const FIELDS = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stream',
  'stop_sequences',
  'metadata',
  'thinking',
  'cache_control',
  'output_config',
  'service_tier',
  'container',
  'inference_geo',
]);
const UNSUPPORTED_IN_OUTPUT = [
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'pattern',
  'allOf',
  'oneOf',
];

/** Returns why the API would refuse the body of a message request, or undefined. `sent` are the thinking blocks it has sent, as JSON. */
export function refusal(body: unknown, sent: ReadonlySet<string>, counting = false): string | undefined {
  try {
    checkBody(object(body, 'body'), sent, counting);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

function refuse(why: string): never {
  throw new Refused(why);
}

function object(value: unknown, path: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(`${path}: should be an object`);
  return value as Json;
}

function list(value: unknown, path: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(`${path}: should be a list`);
}

function checkBody(body: Json, sent: ReadonlySet<string>, counting: boolean): void {
  for (const field of Object.keys(body)) if (!FIELDS.has(field)) refuse(`${field}: Extra inputs are not permitted`);
  // With the `u` flag a surrogate matches only when its other half is missing; JSON.stringify writes such a one as an escape.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(body)))
    refuse('body: not valid unicode: lone surrogate');
  if (typeof body['model'] !== 'string' || !body['model']) refuse('model: Field required');
  if (!counting && !(Number.isInteger(body['max_tokens']) && Number(body['max_tokens']) >= 1))
    refuse('max_tokens: Field required');
  checkThinking(body);
  const names = checkTools(body);
  checkMessages(list(body['messages'], 'messages'), sent);
  const hasToolBlocks = JSON.stringify(body['messages']).includes('"tool_use_id"');
  if (hasToolBlocks && names.size === 0) refuse('tools: Field required while the history has tool blocks');
  if (breakpoints(body) > 4) refuse('cache_control: A maximum of 4 blocks may be provided');
  for (const [i, block] of systemBlocks(body).entries()) checkText(object(block, `system.${i}`), `system.${i}`);
  const format = body['output_config'] ? object(body['output_config'], 'output_config')['format'] : undefined;
  if (format) checkOutputSchema(object(object(format, 'format')['schema'], 'schema'), 'output_config.format.schema');
}

function systemBlocks(body: Json): readonly unknown[] {
  return body['system'] === undefined || typeof body['system'] === 'string' ? [] : list(body['system'], 'system');
}

function checkThinking(body: Json): void {
  const thinking = body['thinking'] as { type?: string; budget_tokens?: number } | undefined;
  if (thinking?.type !== 'enabled') return;
  const budget = thinking.budget_tokens ?? 0;
  if (budget < 1024 || budget >= Number(body['max_tokens']))
    refuse('max_tokens: must be greater than thinking.budget_tokens');
}

function checkTools(body: Json): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [i, tool] of list(body['tools'] ?? [], 'tools').entries()) {
    const { name, input_schema: schema } = object(tool, `tools.${i}`);
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) refuse(`tools.${i}.name: invalid`);
    if (names.has(name)) refuse('tools: Tool names must be unique');
    if (object(schema, `tools.${i}.input_schema`)['type'] !== 'object')
      refuse(`tools.${i}.input_schema.type: should be 'object'`);
    names.add(name);
  }
  const choice = body['tool_choice'] as { type?: string; name?: string } | undefined;
  if (!choice) return names;
  if (names.size === 0) refuse('tool_choice: may only be specified while providing tools');
  if (!['auto', 'any', 'none', 'tool'].includes(choice.type ?? '')) refuse('tool_choice.type: unknown');
  if (choice.type === 'tool' && !names.has(choice.name ?? '')) refuse(`tool_choice: Tool '${choice.name}' not found`);
  return names;
}

function checkMessages(messages: readonly unknown[], sent: ReadonlySet<string>): void {
  if (messages.length === 0) refuse('messages: at least one message is required');
  let unanswered: readonly string[] = [];
  messages.forEach((raw, i) => {
    const path = `messages.${i}`;
    const { role, content } = object(raw, path);
    if (role !== 'user' && role !== 'assistant') refuse(`${path}.role: should be 'user' or 'assistant'`);
    if (i === 0 && role !== 'user') refuse('messages: first message must use the "user" role');
    if (i === messages.length - 1 && role === 'assistant')
      refuse('messages: the model does not support assistant message prefill');
    if (typeof content === 'string') {
      if (!content.trim()) refuse(`${path}: all messages must have non-empty content`);
      if (unanswered.length > 0)
        refuse(
          `${path}: tool_use ids were found without tool_result blocks immediately after: ${unanswered.join(', ')}`,
        );
      return;
    }
    const blocks = list(content, `${path}.content`).map((block, j) => object(block, `${path}.content.${j}`));
    if (blocks.length === 0) refuse(`${path}: all messages must have non-empty content`);
    for (const [j, block] of blocks.entries()) checkBlock(block, role, `${path}.content.${j}`, sent);
    checkAnswers(blocks, unanswered, path);
    unanswered = blocks.flatMap((block) => (block['type'] === 'tool_use' ? [String(block['id'])] : []));
    if (new Set(unanswered).size < unanswered.length) refuse(`${path}: tool_use ids must be unique`);
  });
}

function checkAnswers(blocks: readonly Json[], asked: readonly string[], path: string): void {
  const types = blocks.map((block) => block['type']);
  const answers = blocks.flatMap((block) => (block['type'] === 'tool_result' ? [String(block['tool_use_id'])] : []));
  const missing = asked.filter((id) => !answers.includes(id));
  if (missing.length > 0)
    refuse(`${path}: tool_use ids were found without tool_result blocks immediately after: ${missing.join(', ')}`);
  const unexpected = answers.filter((id) => !asked.includes(id));
  if (unexpected.length > 0)
    refuse(`${path}: unexpected tool_use_id found in tool_result blocks: ${unexpected.join(', ')}`);
  if (new Set(answers).size < answers.length) refuse(`${path}: each tool_use must have a single result`);
  if (answers.length > 0 && types.lastIndexOf('tool_result') >= answers.length)
    refuse(`${path}: tool_result blocks must come first`);
}

function checkBlock(block: Json, role: string, path: string, sent: ReadonlySet<string>): void {
  switch (block['type']) {
    case 'text':
      return checkText(block, path);
    case 'tool_result':
      return role === 'user' ? undefined : refuse(`${path}: tool_result blocks can only be in user messages`);
    case 'tool_use':
      if (role !== 'assistant') refuse(`${path}: tool_use blocks can only be in assistant messages`);
      object(block['input'], `${path}.input`);
      return undefined;
    case 'thinking': {
      const { cache_control: _, ...own } = block;
      return sent.has(JSON.stringify(own)) ? undefined : refuse(`${path}: thinking blocks cannot be modified`);
    }
    default:
      return refuse(`${path}.type: unknown block type`);
  }
}

function checkText(block: Json, path: string): void {
  if (typeof block['text'] !== 'string' || !block['text'].trim())
    refuse(`${path}: text content blocks must be non-empty`);
}

function breakpoints(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((total: number, item) => total + breakpoints(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (total, [key, item]) => total + (key === 'cache_control' && item ? 1 : breakpoints(item)),
    0,
  );
}

/** Structured output accepts a subset of JSON Schema only. */
function checkOutputSchema(schema: Json, path: string): void {
  for (const keyword of UNSUPPORTED_IN_OUTPUT) if (keyword in schema) refuse(`${path}: '${keyword}' is not supported`);
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) {
    refuse(`${path}: 'additionalProperties' must be explicitly set to false`);
  }
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Json)) {
    checkOutputSchema(object(property, name), `${path}.properties.${name}`);
  }
  if (schema['items']) checkOutputSchema(object(schema['items'], 'items'), `${path}.items`);
  for (const option of (schema['anyOf'] ?? []) as readonly Json[]) checkOutputSchema(option, `${path}.anyOf`);
}
