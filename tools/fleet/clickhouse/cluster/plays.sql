-- The table that kiosks write to. A kiosk's rows all lie on one shard, so a play is counted where it lies.
CREATE TABLE IF NOT EXISTS endcap.plays ON CLUSTER fleet
AS endcap.plays_local
ENGINE = Distributed(fleet, endcap, plays_local, cityHash64(kiosk));
