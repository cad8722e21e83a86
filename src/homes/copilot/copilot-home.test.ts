import { copilotScene } from '../../../test/support/copilot-scene.ts';
import { testFileHome } from '../../../test/support/file-home-conformance.ts';
import { copilotKind } from './copilot-kind.ts';

testFileHome('copilot', copilotKind, copilotScene);
