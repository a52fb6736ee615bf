import { CONTRACTS, type ContractName } from '../../../main/reading/testing/reader-contracts';

type Content<N extends ContractName> = (typeof CONTRACTS)[N]['content'] extends 'bytes' ? Uint8Array : string;

/** Calls one of the kiosk's readers; throws when the outcome is not one that its contract declares. */
function called<N extends ContractName>(name: N): (content: Content<N>) => Promise<unknown> {
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

/** The readers of documents and media, called as the kiosk calls them. */
export const READ = {
  ads: called('ads'),
  vast: called('vast'),
  metadata: called('metadata'),
  native: called('native'),
  'service-message': called('service-message'),
  page: called('page'),
  media: called('media'),
};
