//! Names that the calculation asks about, resolved once to plain numbers.
//!
//! What is not named here does nothing to damage, accuracy or speed. Ids are Showdown's.

/// An enum of names with the id of each; everything else is `Other`.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($kind:ident = $id:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(super) enum $name {
            #[default]
            Other,
            $($kind,)*
        }

        impl $name {
            /// The kind of an id.
            pub fn of(id: &str) -> Self {
                match id {
                    $($id => Self::$kind,)*
                    _ => Self::Other,
                }
            }

            /// All ids that are named.
            #[cfg(test)]
            pub const IDS: &'static [&'static str] = &[$($id,)*];
        }
    };
}

kinds! {
    /// Abilities that touch damage, accuracy, speed or immunity.
    AbilityKind {
        Adaptability = "adaptability", Aerilate = "aerilate", AirLock = "airlock", Analytic = "analytic",
        ArmorTail = "armortail", AuraBreak = "aurabreak", Battery = "battery",
        BattleArmor = "battlearmor", BeadsOfRuin = "beadsofruin",
        Blaze = "blaze", Bulletproof = "bulletproof", Chlorophyll = "chlorophyll", CloudNine = "cloudnine",
        Comatose = "comatose", CompoundEyes = "compoundeyes", Damp = "damp", DarkAura = "darkaura",
        Dazzling = "dazzling", Defeatist = "defeatist", Disguise = "disguise", Dragonize = "dragonize",
        DragonsMaw = "dragonsmaw", Drizzle = "drizzle", Drought = "drought", SandStream = "sandstream",
        SnowWarning = "snowwarning", StanceChange = "stancechange", DrySkin = "dryskin", EarthEater = "eartheater", Eelevate = "eelevate",
        FairyAura = "fairyaura", Filter = "filter", FireMane = "firemane", FlareBoost = "flareboost",
        FlashFire = "flashfire", FlowerGift = "flowergift", Fluffy = "fluffy", FriendGuard = "friendguard",
        FurCoat = "furcoat", GaleWings = "galewings", Galvanize = "galvanize", GoodAsGold = "goodasgold",
        GorillaTactics = "gorillatactics", GrassPelt = "grasspelt", Guts = "guts",
        HadronEngine = "hadronengine", Heatproof = "heatproof", HeavyMetal = "heavymetal",
        HugePower = "hugepower", Hustle = "hustle", IceFace = "iceface", IceScales = "icescales",
        Illuminate = "illuminate", Infiltrator = "infiltrator", IronFist = "ironfist", KeenEye = "keeneye",
        Klutz = "klutz", Levitate = "levitate", Libero = "libero", LightMetal = "lightmetal",
        LightningRod = "lightningrod", LiquidVoice = "liquidvoice", LongReach = "longreach",
        MarvelScale = "marvelscale", MegaLauncher = "megalauncher", MegaSol = "megasol",
        Merciless = "merciless", MindsEye = "mindseye", Minus = "minus", MoldBreaker = "moldbreaker",
        MotorDrive = "motordrive", Multiscale = "multiscale", Neuroforce = "neuroforce",
        NeutralizingGas = "neutralizinggas", NoGuard = "noguard", Normalize = "normalize",
        OrichalcumPulse = "orichalcumpulse", Overcoat = "overcoat", Overgrow = "overgrow",
        ParentalBond = "parentalbond", PiercingDrill = "piercingdrill", Pixilate = "pixilate",
        Plus = "plus", PowerSpot = "powerspot", PrismArmor = "prismarmor", Protean = "protean",
        Protosynthesis = "protosynthesis", PunkRock = "punkrock", PurePower = "purepower",
        PurifyingSalt = "purifyingsalt", QuarkDrive = "quarkdrive", QueenlyMajesty = "queenlymajesty",
        QuickFeet = "quickfeet", Reckless = "reckless", Refrigerate = "refrigerate", Ripen = "ripen",
        Rivalry = "rivalry", RockyPayload = "rockypayload", SandForce = "sandforce", SandRush = "sandrush",
        SandVeil = "sandveil", SapSipper = "sapsipper", Scrappy = "scrappy", ShadowShield = "shadowshield",
        Sharpness = "sharpness", SheerForce = "sheerforce", ShellArmor = "shellarmor",
        SkillLink = "skilllink", SlowStart = "slowstart", SlushRush = "slushrush", Sniper = "sniper",
        SnowCloak = "snowcloak", SolarPower = "solarpower", SolidRock = "solidrock",
        Soundproof = "soundproof", Stakeout = "stakeout", Steelworker = "steelworker",
        SteelySpirit = "steelyspirit", StormDrain = "stormdrain", StrongJaw = "strongjaw",
        Sturdy = "sturdy", SuperLuck = "superluck", SupremeOverlord = "supremeoverlord",
        SurgeSurfer = "surgesurfer", Swarm = "swarm", SwiftSwim = "swiftswim", SwordOfRuin = "swordofruin",
        TabletsOfRuin = "tabletsofruin", TangledFeet = "tangledfeet", Technician = "technician",
        Telepathy = "telepathy", TeraShell = "terashell", Teravolt = "teravolt", ThickFat = "thickfat",
        TintedLens = "tintedlens", Torrent = "torrent", ToughClaws = "toughclaws",
        ToxicBoost = "toxicboost", Transistor = "transistor", Triage = "triage", Turboblaze = "turboblaze",
        Unaware = "unaware", Unburden = "unburden", UnseenFist = "unseenfist",
        VesselOfRuin = "vesselofruin", VictoryStar = "victorystar", VoltAbsorb = "voltabsorb",
        WaterAbsorb = "waterabsorb", WaterBubble = "waterbubble", WellBakedBody = "wellbakedbody",
        WindRider = "windrider", WonderGuard = "wonderguard",
        Unnerve = "unnerve", AsOneGlastrier = "asoneglastrier", AsOneSpectrier = "asonespectrier",
    }
}

kinds! {
    /// Items that touch damage, accuracy, speed or immunity and are not just of a type.
    ItemKind {
        AbilityShield = "abilityshield", AdamantCrystal = "adamantcrystal", AdamantOrb = "adamantorb",
        AirBalloon = "airballoon", AssaultVest = "assaultvest", BrightPowder = "brightpowder",
        ChilanBerry = "chilanberry", ChoiceBand = "choiceband", ChoiceScarf = "choicescarf",
        ChoiceSpecs = "choicespecs", CornerstoneMask = "cornerstonemask", Eviolite = "eviolite",
        ExpertBelt = "expertbelt", FloatStone = "floatstone", FocusSash = "focussash",
        GriseousCore = "griseouscore", GriseousOrb = "griseousorb", HearthflameMask = "hearthflamemask",
        IronBall = "ironball", LifeOrb = "lifeorb", LightBall = "lightball",
        LoadedDice = "loadeddice", LustrousGlobe = "lustrousglobe", LustrousOrb = "lustrousorb",
        Metronome = "metronome", MuscleBand = "muscleband",
        NormalGem = "normalgem", PowerAnklet = "poweranklet", PowerBand = "powerband",
        PowerBelt = "powerbelt", PowerBracer = "powerbracer", PowerLens = "powerlens",
        PowerWeight = "powerweight", ProtectivePads = "protectivepads", PunchingGlove = "punchingglove",
        RazorClaw = "razorclaw", RingTarget = "ringtarget", SafetyGoggles = "safetygoggles",
        ScopeLens = "scopelens", SoulDew = "souldew", UtilityUmbrella = "utilityumbrella",
        WellspringMask = "wellspringmask", WideLens = "widelens", WiseGlasses = "wiseglasses",
        ZoomLens = "zoomlens",
    }
}

kinds! {
    /// Moves that reckon something of their own.
    MoveKind {
        Acrobatics = "acrobatics", Assurance = "assurance", AuraWheel = "aurawheel",
        Avalanche = "avalanche", BarbBarrage = "barbbarrage", BeatUp = "beatup",
        BleakwindStorm = "bleakwindstorm", Blizzard = "blizzard", BrickBreak = "brickbreak",
        Brine = "brine", Bulldoze = "bulldoze", CollisionCourse = "collisioncourse",
        Comeuppance = "comeuppance", Counter = "counter", CrushGrip = "crushgrip",
        DragonDarts = "dragondarts", DragonEnergy = "dragonenergy", DreamEater = "dreameater", Earthquake = "earthquake",
        EchoedVoice = "echoedvoice", ElectroBall = "electroball", ElectroDrift = "electrodrift",
        Endeavor = "endeavor", Eruption = "eruption", ExpandingForce = "expandingforce",
        Explosion = "explosion", Facade = "facade", FakeOut = "fakeout", FalseSwipe = "falseswipe",
        FickleBeam = "ficklebeam", FinalGambit = "finalgambit", FirePledge = "firepledge",
        FirstImpression = "firstimpression", Flail = "flail", Fling = "fling", FlyingPress = "flyingpress",
        FreezeDry = "freezedry", FuryCutter = "furycutter", FusionBolt = "fusionbolt",
        FusionFlare = "fusionflare", FutureSight = "futuresight", DoomDesire = "doomdesire",
        GrassKnot = "grassknot", GrassPledge = "grasspledge", GrassyGlide = "grassyglide",
        GravApple = "gravapple", Gust = "gust", GyroBall = "gyroball", HardPress = "hardpress",
        HeatCrash = "heatcrash", HeavySlam = "heavyslam", Hex = "hex", Hurricane = "hurricane",
        HydroSteam = "hydrosteam", InfernalParade = "infernalparade", IvyCudgel = "ivycudgel",
        Judgment = "judgment", KnockOff = "knockoff", LashOut = "lashout", LastRespects = "lastrespects",
        LowKick = "lowkick", MetalBurst = "metalburst",
        MirrorCoat = "mirrorcoat", MistyExplosion = "mistyexplosion", Payback = "payback",
        PhotonGeyser = "photongeyser", PollenPuff = "pollenpuff", Poltergeist = "poltergeist",
        PopulationBomb = "populationbomb", PowerTrip = "powertrip", Present = "present",
        Psyblade = "psyblade", PsychicFangs = "psychicfangs", RageFist = "ragefist",
        RagingBull = "ragingbull", Retaliate = "retaliate", RevelationDance = "revelationdance",
        Reversal = "reversal", RisingVoltage = "risingvoltage", Rollout = "rollout", Round = "round",
        Ruination = "ruination", SandsearStorm = "sandsearstorm", SelfDestruct = "selfdestruct",
        ShellSideArm = "shellsidearm", SolarBeam = "solarbeam", SolarBlade = "solarblade",
        Snore = "snore", SpitUp = "spitup", SteelRoller = "steelroller",
        StompingTantrum = "stompingtantrum", StoredPower = "storedpower", Struggle = "struggle",
        SuperFang = "superfang", Surf = "surf", TemperFlare = "temperflare", TeraBlast = "terablast",
        TeraStarstorm = "terastarstorm", TerrainPulse = "terrainpulse",
        Thunder = "thunder", TripleAxel = "tripleaxel", TripleKick = "triplekick", Twister = "twister",
        Venoshock = "venoshock", WaterPledge = "waterpledge",
        WaterSpout = "waterspout", WeatherBall = "weatherball", Whirlpool = "whirlpool",
        WildboltStorm = "wildboltstorm",
        ElectroShot = "electroshot", OrderUp = "orderup", JetPunch = "jetpunch",
    }
}

kinds! {
    /// Species and forms that something is made for.
    SpeciesKind {
        Aegislash = "aegislash", AegislashBlade = "aegislashblade", Dipplin = "dipplin", Eiscue = "eiscue",
        Mimikyu = "mimikyu", MorpekoHangry = "morpekohangry", TaurosCombat = "taurospaldeacombat",
        TaurosBlaze = "taurospaldeablaze", TaurosAqua = "taurospaldeaaqua",
        TerapagosTerastal = "terapagosterastal", TerapagosStellar = "terapagosstellar",
    }
}
