import { z } from 'zod';
import {
  SESSION_SETTING_NAMES,
  SESSION_SETTINGS,
  type SETTING_UNITS,
  type SessionSetting,
} from '../../core/retention/session-settings.ts';
import { amount, amountOrNever, choice, wordList, yesOrNo } from './config-values.ts';

/** A setting by its kind, without its default. */
const SCHEMAS = {
  limit: (unit: Unit) => amountOrNever(unit),
  amount: (unit: Unit) => amount(unit),
  floor: () => amountOrNever('count'),
  words: () => wordList(),
  'on-off': () => choice(['on', 'off']),
} as const;
type Unit = keyof typeof SETTING_UNITS;
type SchemaOf<S extends SessionSetting> = ReturnType<(typeof SCHEMAS)[(typeof SESSION_SETTINGS)[S]['kind']]>;

/** What can differ from source to source. No defaults here: a key that a source leaves out keeps the general value. */
const perSource = ofEach((facts) => {
  const unit = 'unit' in facts ? facts.unit : 'count';
  return SCHEMAS[facts.kind](unit).describe(facts.about);
}) as { [S in SessionSetting]: SchemaOf<S> };

/** The same with what holds where nobody says anything. */
const general = ofEach(({ default: usual }, setting) => (perSource[setting] as z.ZodType).default(usual)) as {
  [S in SessionSetting]: z.ZodDefault<SchemaOf<S>>;
};

function ofEach(schemaOf: (facts: (typeof SESSION_SETTINGS)[SessionSetting], setting: SessionSetting) => z.ZodType) {
  return Object.fromEntries(SESSION_SETTING_NAMES.map((name) => [name, schemaOf(SESSION_SETTINGS[name], name)]));
}

const sourceSchema = z.strictObject(perSource).exactPartial();

/** Runs of a schedule leave rows only, unless the user asks for transcripts of cron by name. */
const cronSchema = sourceSchema
  .extend({ transcripts: perSource.transcripts.default('off') })
  .prefault({})
  .describe('What differs for scheduled runs.');

/** How long sessions are kept. */
export const sessionsSchema = z.strictObject({
  auto_prune: yesOrNo().default(false).describe('Apply these rules automatically, in the background.'),
  min_interval_hours: amount('hours').default(24).describe('Hours between two automatic runs.'),
  ...general,
  by_source: z
    .object({ cron: cronSchema })
    .catchall(sourceSchema)
    .prefault({})
    .describe('What differs for one source, such as cron or telegram; keys left out keep the values above.'),
});
