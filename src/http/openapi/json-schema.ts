import { z } from 'zod';

/** A schema of ours as JSON Schema, which OpenAPI is made of. */
export function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return described;
}
