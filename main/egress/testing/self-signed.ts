import { testCa } from './test-ca';

/** A key and an untrusted certificate for `CN=self-signed`, valid until 2049. */
export const selfSigned = () => testCa('self-signed');
