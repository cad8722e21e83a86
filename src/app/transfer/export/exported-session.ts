import type { JsonObject } from '../../../core/json.ts';
import { redactJson, redactText } from '../../../core/redact.ts';
import type { Message, ToolCall } from '../../../core/sessions/message.ts';
import type { ModelUsage, SessionFacts } from '../../../core/sessions/session.ts';

/** One session as a renderer gets it: the facts at once, the messages as they are read. */
export interface ExportedSession {
  readonly facts: SessionFacts;
  readonly usageByModel: readonly ModelUsage[];
  readonly messages: AsyncIterable<Message>;
}

/** The same session with secrets hidden in its title and in everything its messages hold. */
export function redactSession({ facts, usageByModel, messages }: ExportedSession): ExportedSession {
  const { title } = facts;
  return {
    facts: title === undefined ? facts : { ...facts, title: redactText(title) },
    usageByModel,
    messages: redactMessages(messages),
  };
}

async function* redactMessages(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
  for await (const message of messages) yield redactMessage(message);
}

/** Redaction keeps the shape of what it is given: objects stay objects, so the casts hold. */
function redactMessage(message: Message): Message {
  const { content, toolCalls, metadata } = message;
  return {
    ...message,
    content: typeof content === 'string' ? redactText(content) : (redactJson(content) as readonly JsonObject[]),
    ...(toolCalls && { toolCalls: toolCalls.map(redactCall) }),
    ...(metadata && { metadata: redactJson(metadata) as JsonObject }),
  };
}

function redactCall(call: ToolCall): ToolCall {
  return { ...call, arguments: redactJson(call.arguments) };
}
