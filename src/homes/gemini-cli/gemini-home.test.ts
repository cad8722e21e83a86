import { testFileHome } from '../../../test/support/file-home-conformance.ts';
import { geminiScene } from '../../../test/support/gemini-scene.ts';
import { geminiKind } from './gemini-kind.ts';

testFileHome('gemini-cli', geminiKind, geminiScene);
