/** The steps that a call tells of, as they come; it ends or fails as the call does. */
export async function* stepsOf<Step>(work: (onStep: (step: Step) => void) => Promise<unknown>): AsyncGenerator<Step> {
  yield* new ReadableStream<Step>({
    start(steps) {
      work((step) => steps.enqueue(step)).then(
        () => steps.close(),
        (error: unknown) => steps.error(error),
      );
    },
  });
}
