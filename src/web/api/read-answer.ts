import { ApiFailure, UNREACHABLE } from './api-failure.ts';

interface LastLine {
  readonly answer?: unknown;
  readonly error?: ConstructorParameters<typeof ApiFailure>[0];
  readonly step?: unknown;
}

/** The document of an answer. One that took long comes as lines: its steps, and last the document. */
export async function readAnswer(response: Response, onStep: (step: unknown) => void): Promise<unknown> {
  const isLines = response.headers.get('content-type') === 'application/jsonl';
  return isLines ? readLines(response, onStep) : readDocument(response);
}

async function readDocument(response: Response): Promise<unknown> {
  const document = (await response.json()) as LastLine;
  if (response.ok) return document;
  throw new ApiFailure(document.error ?? UNREACHABLE);
}

async function readLines({ body }: Response, onStep: (step: unknown) => void): Promise<unknown> {
  for await (const line of linesOf(body)) {
    const { step, answer, error } = JSON.parse(line) as LastLine;
    if (error !== undefined) throw new ApiFailure(error);
    if (answer !== undefined) return answer;
    onStep(step);
  }
  // It was cut off: the daemon is gone.
  throw new ApiFailure(UNREACHABLE);
}

async function* linesOf(body: Response['body']): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done = true, value = '' } = (await reader?.read()) ?? {};
    const lines = `${rest}${value}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
    if (done) return;
  }
}
