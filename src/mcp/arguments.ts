import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

/**
 * Checks arguments here, against the schema that was reviewed, before a server sees them. Returns what is wrong in words. Throws for a schema that
 * is none.
 */
export function argumentChecker(
  inputSchema: Readonly<Record<string, unknown>>,
): (input: unknown) => string | undefined {
  // Without the identity that the schema claims: references stay inside it, and two tools cannot disturb each other.
  const { $schema: _, $id: _id, ...schema } = inputSchema;
  const validate = new AjvJsonSchemaValidator().getValidator(schema);
  return (input) => {
    const { valid, errorMessage } = validate(input);
    return valid ? undefined : errorMessage;
  };
}
