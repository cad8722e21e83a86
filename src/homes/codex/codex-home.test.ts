import { codexScene } from '../../../test/support/codex-scene.ts';
import { testFileHome } from '../../../test/support/file-home-conformance.ts';
import { codexKind } from './codex-kind.ts';

// Each step syncs several databases, so that fewer deaths are tried in a usual run.
testFileHome('codex', codexKind, codexScene, { every: 29 });
