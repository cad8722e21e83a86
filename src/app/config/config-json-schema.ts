import { z } from 'zod';
import { configSchema } from './config-schema.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The JSON Schema of config.yaml for editors, in draft 7, which the common YAML editors read. */
export function configJsonSchema(): JsonSchema {
  return z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      // A section whose keys are all commented out is empty, which YAML reads as null.
      if (jsonSchema.type === 'object') Object.assign(jsonSchema, { type: ['object', 'null'] });
    },
  });
}

/** The keys that a section names, with what the schema says about each. */
export function namedKeys(section: JsonSchema | undefined): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(section?.properties ?? {}).flatMap(([name, key]) =>
    typeof key === 'object' ? [[name, key] as const] : [],
  );
}
