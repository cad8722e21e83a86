import { testFileHome } from '../support/file-home-conformance.ts';
import { sampleKind } from '../support/sample-agent.ts';
import { sampleScene } from '../support/sample-scene.ts';

testFileHome('Sample', sampleKind(), sampleScene, { every: 29 });
