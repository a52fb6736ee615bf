import { ACCOUNT_AREAS } from './account-rows';
import { BEHAVIOUR_AREAS } from './behaviour-rows';
import { METADATA_AREAS } from './metadata-rows';
import { NATIVE_AREAS } from './native-rows';
import { PRACTICE_AREAS } from './practice-rows';
import type { Area } from './row';

/** All requirements of the interface of the service, grouped by their place in it. */
export const AREAS: readonly Area[] = [
  ...METADATA_AREAS,
  ...ACCOUNT_AREAS,
  ...NATIVE_AREAS,
  ...BEHAVIOUR_AREAS,
  ...PRACTICE_AREAS,
];

/** Requirements that the kiosk does not meet yet, or that no test shows. An entry is removed once a test shows it. */
export const OPEN: readonly string[] = [];
