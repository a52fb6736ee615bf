import { EMPTY_CONTEXT } from '../../decisions/audience';
import { playDecision } from '../slot-ad';

/** `decision` of a kiosk that knows nothing of shopper, cart and weather. */
export const decisionWithoutSignals = playDecision({
  trustsOnline: true,
  signals: { current: () => EMPTY_CONTEXT, ages: () => ({ shopper: null, cart: null, weather: null }) },
});
