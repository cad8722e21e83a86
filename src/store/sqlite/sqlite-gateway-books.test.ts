import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { testGatewayBooks } from '../gateway-books.conformance.ts';

testGatewayBooks((clock) => {
  const root = tempDir();
  return () => openNativeStore(root, { clock });
});
