-- The table of proof of play: the plays of all kiosks, and beside them the manifests that sign them.
-- Print it for your server with `npm run -s fleet-sql -- --help`; what stands in ${…} is filled in there.
--
-- Every revision of a play has a sequence number of its own and stays. Merges only remove
-- repeats, which are the same to the byte: the key ends with a hash of all columns that kiosks write, so that a forged row
-- replaces no other row. No column holds it: `insert_allow_materialized_columns` would let an inserter give it.
-- Columns are named as in the rows and lose nothing:
-- times stay the texts that were signed, numbers that need not be whole are Float64.
CREATE TABLE IF NOT EXISTS ${table}${onCluster}
(
    kind String,
    kiosk String,
    epoch UInt64,
    seq UInt64,
    rev UInt32,
    id String,
    at String,
    shownAt Nullable(String),
    outcome String,
    endReason Nullable(String),
    viewedMs Float64,
    durationMs Nullable(Float64),
    presentedFrames Nullable(Float64),
    droppedFrames Nullable(Float64),
    stalls Nullable(Float64),
    delivery String,
    adId String,
    requestId String,
    flightId Nullable(String),
    campaignId Nullable(String),
    source Nullable(String),
    sourceId Nullable(String),
    mediaUrl String,
    environment String,
    beaconsSent Nullable(Float64),
    beaconsUnknown Nullable(Float64),
    beaconsFailed Nullable(Float64),
    beaconsPending Nullable(Float64),
    scripts Nullable(String),
    guestErrors Nullable(String),
    playerId Nullable(String),
    storeId Nullable(String),
    zone Nullable(String),
    screenId Nullable(String),
    labels String,
    mediaSha256 Nullable(String),
    mediaType Nullable(String),
    universalAdIdRegistry Nullable(String),
    universalAdId Nullable(String),
    adServingId Nullable(String),
    creativeId Nullable(String),
    assetGroupId Nullable(String),
    bundleId Nullable(String),
    revenueModel Nullable(String),
    allowedBy Nullable(String),
    matchedGroup Nullable(Float64),
    peopleCount Nullable(Float64),
    signalAgeMs Nullable(Float64),
    caps Nullable(String),
    digest String,
    -- Of a manifest (kind = 'segment') alone.
    `first` UInt64,
    `last` UInt64,
    `count` UInt64,
    rowsDigest String,
    predecessor Nullable(String),
    setAside String,
    madeAt String,
    publicKey String,
    signature String,
    -- Made by the server, and no part of what is signed. A time that cannot be read is 1970.
    time DateTime MATERIALIZED parseDateTimeBestEffortOrZero(if(kind = 'segment', madeAt, at), 'UTC'),
    atMs Int64 MATERIALIZED toInt64(toUInt32(parseDateTimeBestEffortOrZero(at, 'UTC'))) * 1000 + toInt64(toUInt16OrZero(substring(at, 21, 3))),
    receivedAt DateTime MATERIALIZED now()
)
ENGINE = ${engine}
PARTITION BY (toYYYYMM(time), rev > 0)
ORDER BY (kiosk, epoch, seq, kind, SHA256(toString((${writtenColumns}))))${ttl}
SETTINGS index_granularity = 8192
