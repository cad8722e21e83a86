import fc from 'fast-check';
import type { NewMessage } from '../../src/core/sessions/message.ts';
import { anyText } from './any-text.ts';

/** A message of any kind: plain, in parts, with tools, output, and text that no database keeps by itself. */
export function anyMessage(): fc.Arbitrary<NewMessage> {
  const text = anyText();
  const details = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)), {
    maxKeys: 3,
    noNullPrototype: true,
  });
  const parts = fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 3 });
  const call = fc.record({ id: text, name: text, arguments: fc.oneof(text, details) });
  return fc.oneof(
    fc.record({ role: fc.constantFrom('user', 'system', 'assistant'), content: fc.oneof(text, parts) }),
    fc.record({
      role: fc.constant('assistant' as const),
      content: fc.oneof(text, parts),
      toolCalls: fc.array(call, { maxLength: 2 }),
      model: text,
      metadata: details,
    }),
    fc.record({
      role: fc.constant('tool' as const),
      content: text,
      name: fc.constantFrom('stdout', 'read_file'),
      failed: fc.boolean(),
    }),
    fc.record({ role: fc.constant('tool' as const), content: text, toolCallId: text, metadata: details }),
  );
}
