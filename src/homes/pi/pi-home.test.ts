import { testFileHome } from '../../../test/support/file-home-conformance.ts';
import { piScene } from '../../../test/support/pi-scene.ts';
import { piKind } from './pi-kind.ts';

testFileHome('pi', piKind, piScene);
