import type { Audience, TargetingCondition } from '../../../shared/ad';

/** Groups, conditions and what these list (profiles, products, types of weather), each time they are named. */
export function targetsOf(audience: Audience | null): number {
  let targets = 0;
  for (const { conditions } of audience?.groups ?? []) {
    targets += 1;
    for (const condition of conditions) targets += targetsOfCondition(condition);
  }
  return targets;
}

/** A condition, and what it lists. */
export function targetsOfCondition(condition: TargetingCondition): number {
  switch (condition.kind) {
    case 'demographic':
      return 1 + condition.profiles.length;
    case 'basket':
      return 1 + condition.skus.length + condition.items.length;
    case 'weather':
      return 1 + condition.types.length;
    case 'unreadable':
      return 1;
  }
}
