import { testFileHome } from '../../../test/support/file-home-conformance.ts';
import { taskScene } from '../../../test/support/task-scene.ts';
import { clineKind, rooKind } from './task-kinds.ts';

testFileHome('Cline', clineKind, taskScene(false), { every: 29 });
testFileHome('Roo Code', rooKind, taskScene(true), { every: 29 });
