/** Longest query that is read, UTF-16 code units: CloudFront, for example, takes no URL of more than 8,192 bytes. */
const MAX_QUERY = 8_192;
/** Of a query with eight thousand, each look into the cache would take 2 ms. A signature has about 20 at most. */
const MAX_PARAMETERS = 64;

/** The parameters of one way to sign URLs. It is recognised only if all of `required` are there. */
interface Scheme {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** What the value of the only parameter looks like, where its name alone proves nothing. */
  readonly form?: RegExp;
}

const CLOUDFRONT = ['Hash-Algorithm'];
/** Of a shared access signature, user delegation included. What overrides headers of the answer (`rscc` …) is not in it. */
const AZURE = 'sp st se si sip spr skoid sktid skt ske sks skv saoid suoid scid sdd ses'.split(' ');
/** `exp=…~acl=…~hmac=…` */
const AKAMAI = /(?:^|~|%7e)hmac(?:=|%3d)./i;
const v4 = (prefix: string) =>
  ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'].map(
    (name) => `${prefix}-${name}`,
  );

const SCHEMES: readonly Scheme[] = [
  { required: ['Expires', 'Signature', 'Key-Pair-Id'], optional: CLOUDFRONT },
  { required: ['Policy', 'Signature', 'Key-Pair-Id'], optional: CLOUDFRONT },
  { required: v4('X-Amz'), optional: ['X-Amz-Security-Token', 'X-Amz-S3session-Token'] },
  { required: ['AWSAccessKeyId', 'Expires', 'Signature'], optional: ['x-amz-security-token'] },
  { required: v4('X-Goog') },
  { required: ['GoogleAccessId', 'Expires', 'Signature'] },
  { required: ['Expires', 'KeyName', 'Signature'], optional: ['URLPrefix'] },
  { required: ['Edge-Cache-Token'] },
  { required: ['sv', 'sig', 'sr', 'se'], optional: AZURE },
  { required: ['sv', 'sig', 'sr', 'si'], optional: AZURE },
  { required: ['sv', 'sig', 'ss', 'srt', 'se'], optional: AZURE },
  { required: ['hdnts'], form: AKAMAI },
  { required: ['hdnea'], form: AKAMAI },
  { required: ['__token__'], form: AKAMAI },
];

/**
 * What identifies the file of a media URL: the URL without the parameters of each signature that is recognised as
 * complete, because many servers sign the URL of the same file anew in each answer (decision 103). All else stays as it
 * is, in its order and encoding; an identity is its own identity.
 *
 * Recognised are, by the names that these pages give: CloudFront, canned and custom policies
 * (docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-signed-urls.html); S3, versions 4 and 2
 * (docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, …/userguide/RESTAuthentication.html); Google
 * Cloud Storage, versions 4 and 2 (cloud.google.com/storage/docs/authentication/signatures, …/access-control/signed-urls-v2);
 * Cloud CDN (cloud.google.com/cdn/docs/using-signed-urls); Media CDN (cloud.google.com/media-cdn/docs/generate-tokens);
 * Azure, shared access signatures (learn.microsoft.com/rest/api/storageservices/delegate-access-with-shared-access-signature);
 * Akamai, Auth Token 2.0 (github.com/akamai/EdgeAuth-Token-Node).
 *
 * A signature is not recognised if one of its parameters is empty or there twice, or the query has more than 8,192
 * characters or 64 parameters. Linear in the length of the URL (rule 31).
 */
export function mediaIdentity(url: string): string {
  const [beforeFragment = ''] = url.split('#', 1);
  const start = beforeFragment.indexOf('?');
  if (start < 0 || beforeFragment.length - start - 1 > MAX_QUERY) return url;
  const parameters = beforeFragment.slice(start + 1).split('&', MAX_PARAMETERS + 1);
  if (parameters.length > MAX_PARAMETERS) return url;
  /** Empty: the parameter has no value, or more than one. */
  const values = new Map<string, string>();
  for (const parameter of parameters) {
    const name = nameOf(parameter);
    values.set(name, values.has(name) ? '' : parameter.slice(name.length + 1));
  }
  const signature = new Set<string>();
  for (const { required, optional = [], form } of SCHEMES) {
    const isComplete = required.every(
      (name) => values.get(name) && (form?.test(values.get(name) ?? '') ?? true),
    );
    if (!isComplete || optional.some((name) => values.get(name) === '')) continue;
    for (const name of [...required, ...optional]) signature.add(name);
  }
  if (signature.size === 0) return url;
  const rest = parameters.filter((parameter) => !signature.has(nameOf(parameter)));
  const query = rest.length === 0 ? '' : `?${rest.join('&')}`;
  return url.slice(0, start) + query + url.slice(beforeFragment.length);
}

const nameOf = (parameter: string): string => parameter.split('=', 1)[0] ?? '';
