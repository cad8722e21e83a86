import type { HomeDefaults } from '../home-kind.ts';
import { readCheckpointSettings } from './checkpoints/store/checkpoint-settings.ts';
import { ARCHIVED_TAG } from './sessions/hermes-session-item.ts';

/**
 * The rules for a Hermes home where none are set: what a person put away in Hermes stays, as it does when Hermes itself prunes,
 * and the limits on checkpoints are those that Hermes has.
 */
export function hermesDefaults(home: string): HomeDefaults {
  return { keepTags: [ARCHIVED_TAG], ...readCheckpointSettings(home) };
}
