import type { PlayDecision } from '../../shared/play';
import { matchingGroup } from '../decisions/audience';
import type { Signals } from '../signals/signals';
import type { SlotFacts } from './slot-ad';

export interface PlayDecisionParts {
  /** Whether the service's audience match of online ads is trusted (rule 6). */
  readonly trustsOnline: boolean;
  readonly signals: Pick<Signals, 'current' | 'ages'>;
}

/** Returns why an ad may play now, for its record (rule 29): numbers of people, never who they are. */
export function playDecision({ trustsOnline, signals }: PlayDecisionParts) {
  return ({ delivery, audience = null, frequencyCaps }: SlotFacts): PlayDecision => {
    const { shopper } = signals.ages();
    const people = {
      peopleCount: shopper?.count ?? null,
      signalAgeMs: shopper === null ? null : Math.round(shopper.ageMs),
      caps: [...frequencyCaps],
    };
    if (delivery === 'native' || delivery === 'house')
      return { allowedBy: delivery, matchedGroup: null, ...people };
    if (delivery === 'online' && trustsOnline) return { allowedBy: 'trusted', matchedGroup: null, ...people };
    if (audience === null) return { allowedBy: 'untargeted', matchedGroup: null, ...people };
    const matchedGroup = matchingGroup(audience, signals.current());
    return { allowedBy: 'matched-group', matchedGroup, ...people };
  };
}
