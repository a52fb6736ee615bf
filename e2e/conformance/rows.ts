import { ACCOUNT_AREAS } from './account-rows';
import { BEHAVIOUR_AREAS } from './behaviour-rows';
import { METADATA_AREAS } from './metadata-rows';
import { NATIVE_AREAS } from './native-rows';
import { PRACTICE_AREAS } from './practice-rows';
import type { Area } from './row';

/** All that the interface of the service says, by where it says it. */
export const AREAS: readonly Area[] = [
  ...METADATA_AREAS,
  ...ACCOUNT_AREAS,
  ...NATIVE_AREAS,
  ...BEHAVIOUR_AREAS,
  ...PRACTICE_AREAS,
];

/** What the interface says and the kiosk does not do yet, or no test shows: a row that gets its test leaves this list. */
export const OPEN: readonly string[] = [];
