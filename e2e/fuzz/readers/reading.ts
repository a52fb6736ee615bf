import { CONTRACTS, type ContractName } from '../../../main/reading/testing/reader-contracts';

type Content<N extends ContractName> = (typeof CONTRACTS)[N]['content'] extends 'bytes' ? Uint8Array : string;

/** One of the kiosk's readers, called as the kiosk does; throws when the outcome is not one that its contract declares. */
export function called<N extends ContractName>(name: N): (content: Content<N>) => Promise<unknown> {
  const { load, options, outcomes, outcomeOf } = CONTRACTS[name] as unknown as {
    load(): Promise<(content: Content<N>, options: unknown) => unknown>;
    options: unknown;
    outcomes: readonly string[];
    outcomeOf(output: unknown): string;
  };
  const loading = load();
  return async (content) => {
    const output = await (await loading)(content, options);
    const outcome = outcomeOf(output);
    if (!outcomes.includes(outcome)) throw new Error(`undeclared outcome: ${outcome}`);
    return output;
  };
}
