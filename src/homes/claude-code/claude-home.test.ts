import { claudeScene } from '../../../test/support/claude-scene.ts';
import { testFileHome } from '../../../test/support/file-home-conformance.ts';
import { claudeKind } from './claude-kind.ts';

// Each death takes a home of some twenty sessions.
testFileHome('Claude Code', claudeKind, claudeScene, { every: 29 });
