import { nativeStorePlace } from '../../../../test/support/native-store.ts';
import { sessionRewindConformance } from '../../session-rewind.conformance.ts';

sessionRewindConformance('the SQLite store', nativeStorePlace);
