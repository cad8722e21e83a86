import { Failure } from '../../core/failure.ts';
import type { HomeLock } from '../../core/home-lock.ts';
import { machineFailure } from '../../core/machine-failure.ts';
import type { ApplyParts } from '../../engine/apply-plan.ts';
import { type RecoveredRun, recoverRuns } from '../../engine/recover-runs.ts';
import { createHomeLock } from '../../store/sqlite/sqlite-home-lock.ts';
import { removeHomeLeftovers } from '../doctor/remove-leftovers.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseChange } from '../refusals/refuse-change.ts';
import { refuseDamage, rememberSound } from '../refusals/refuse-damage.ts';
import { finishedSentence } from './finished-sentence.ts';
import { lacksRoom, noteGivenUp } from './give-up-trash.ts';
import { isUnfinished } from './is-unfinished.ts';

/**
 * Ends what a dead process left before anything is answered, so that nobody is told "nothing" of what is only half done. Where
 * that cannot be done now, a sentence says so, and reading goes on all the same: it never needs to write.
 */
export class Recovery {
  readonly #parts: HomeParts;
  readonly #engine: () => ApplyParts;
  readonly #lock: HomeLock;
  #holders = 0;
  #settling: Promise<Settled> | undefined;
  #said: string | undefined;

  constructor(parts: HomeParts, engine: () => ApplyParts) {
    const { store, layout } = parts;
    this.#parts = parts;
    this.#engine = engine;
    this.#lock = createHomeLock(layout.lock, {
      set: (purpose) => store.setMeta('lock-holder', `${purpose}, process ${process.pid}`),
      get: () => store.getMeta('lock-holder'),
    });
  }

  /** The lock of the home. While this process holds it, what is unfinished is its own work. */
  get lock(): HomeLock {
    return {
      acquire: async (purpose, waitMs) => {
        const soundAt = await refuseDamage(this.#parts);
        const held = await this.#lock.acquire(purpose, waitMs);
        try {
          await rememberSound(this.#parts, soundAt);
        } catch (error) {
          held[Symbol.dispose]();
          throw error;
        }
        this.#holders += 1;
        return {
          [Symbol.dispose]: () => {
            this.#holders -= 1;
            held[Symbol.dispose]();
          },
        };
      },
    };
  }

  /** Finishes what was cut short. Only for who holds the lock. */
  async finish(): Promise<readonly RecoveredRun[]> {
    await noteGivenUp(this.#parts);
    await removeHomeLeftovers(this.#parts);
    const recovered: RecoveredRun[] = [];
    for await (const each of recoverRuns(this.#engine())) recovered.push(each);
    return recovered;
  }

  /** Comes before every answer. Tells what it finished, and once what it could not. Returns the runs that it took up. */
  async first(): Promise<readonly string[]> {
    const said = this.#said;
    const { runs, unfinished } = await this.#settled();
    if (unfinished !== undefined && unfinished !== said) this.#parts.tell?.(unfinished);
    return runs;
  }

  /** The same for who says it otherwise: what is left unfinished and how it is finished, in a sentence; usually nothing. */
  async unfinished(): Promise<string | undefined> {
    return (await this.#settled()).unfinished;
  }

  async #settled(): Promise<Settled> {
    if (this.#holders > 0 || !(await isUnfinished(this.#parts))) return { runs: [] };
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined;
    });
    const settled = await this.#settling;
    this.#said = settled.unfinished;
    return settled;
  }

  async #settle(): Promise<Settled> {
    try {
      refuseChange(this.#parts);
      if (lacksRoom(this.#parts)) return putOff(`The disk that holds ${this.#parts.layout.root} is full.`);
      await this.#parts.foreign?.prepare();
      // Whoever holds it is alive and at work, and nobody has to wait for that in order to look.
      using _alone = await this.lock.acquire('finishing what was cut short', 0);
      const recovered = await this.finish();
      if (recovered.some(({ purged }) => purged.length > 0)) await this.#engine().driver.giveBack();
      for (const sentence of recovered.flatMap(finishedSentence)) this.#parts.tell?.(sentence);
      return { runs: recovered.map(({ runId }) => runId) };
    } catch (error) {
      const failure = error instanceof Failure ? error : machineFailure(error);
      if (failure === undefined) throw error;
      return failure.code === 'locked' ? atWork(failure) : putOff(failure.message);
    }
  }
}

interface Settled {
  /** The runs that were taken up. */
  readonly runs: readonly string[];
  /** What is left unfinished, and how it is finished. */
  readonly unfinished?: string;
}

function atWork({ message }: Failure): Settled {
  return { runs: [], unfinished: `${message} What it is at is shown as far as it has come.` };
}

function putOff(why: string): Settled {
  const next = 'Once that is settled, finish it with: coppice doctor --repair';
  return { runs: [], unfinished: `A command that was cut short is not finished yet. ${why} ${next}` };
}
