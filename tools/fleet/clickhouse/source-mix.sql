-- Source mix: the share that each source had of the plays from {from} up to {to}, all kiosks together.
-- Kiosks from {fromKiosk} up to {toKiosk}, as in billing.sql: `plays` of slices add up, `share` is that of the slice.
-- The same statement for 18.16 and later. House creatives and native ads have no source id: they are the row with null.
SELECT
    tupleElement(entry, 1) AS sourceKey,
    tupleElement(entry, 2) AS plays,
    plays / allPlays AS share
FROM
(
    SELECT
        arrayJoin(groupArray((sourceKey, plays))) AS entry,
        sum(plays) AS allPlays
    FROM
    (
        SELECT tupleElement(newest, 1) AS sourceKey, count() AS plays
        FROM
        (
            -- As in billing.sql.
            WITH rev * 17592186044416 + epoch AS revision
            SELECT
                kiosk,
                id,
                argMax(tuple(sourceId), revision) AS newest,
                argMax(outcome, revision) AS lastOutcome,
                argMax(time, revision) AS lastTime
            FROM plays
            WHERE kind = 'play'
                AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
                AND ((time >= parseDateTimeBestEffort({from:String}, 'UTC') AND time < parseDateTimeBestEffort({to:String}, 'UTC')) OR rev > 0)
            GROUP BY kiosk, id
            HAVING lastTime >= parseDateTimeBestEffort({from:String}, 'UTC') AND lastTime < parseDateTimeBestEffort({to:String}, 'UTC')
        )
        WHERE lastOutcome != 'given-back'
        GROUP BY sourceKey
    )
)
ORDER BY plays DESC, sourceKey
