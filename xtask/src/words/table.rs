//! The words that the project does not use, what it says instead, and where they are allowed.

/// A phrase that is left out.
pub(crate) struct LeftOut {
    /// As `Phrase` reads it.
    pub(crate) pattern: &'static str,
    pub(crate) say: &'static str,
    /// Words that make the phrase harmless where they stand before it.
    pub(crate) unless_after: &'static [&'static str],
    /// A sentence that is refused.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the table's tests"))]
    pub(crate) catches: &'static str,
    /// A sentence that looks alike and is fine.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the table's tests"))]
    pub(crate) passes: &'static str,
}

/// A place where a phrase is allowed.
pub(crate) struct Allowed {
    /// What the path begins with; empty for all files.
    pub(crate) path: &'static str,
    /// A pattern of the table, or `*` for every one.
    pub(crate) pattern: &'static str,
    /// What the line must contain; empty for all lines.
    pub(crate) line: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the table"))]
    pub(crate) reason: &'static str,
}

const fn left_out(
    pattern: &'static str,
    say: &'static str,
    catches: &'static str,
    passes: &'static str,
) -> LeftOut {
    LeftOut { pattern, say, unless_after: &[], catches, passes }
}

const fn unless_after(words: &'static [&'static str], left_out: LeftOut) -> LeftOut {
    LeftOut { unless_after: words, ..left_out }
}

pub(crate) const LEFT_OUT: &[LeftOut] = &[
    left_out("way of the data", "data flow", "the way of the data", "the data flow"),
    left_out("graphics|the|a|every|no card|cards", "GPU", "runs on the card", "a cardinal spline"),
    left_out("the|a processor|processors", "CPU", "the processor goes on", "the CPU goes on"),
    left_out("mend|mends|mended|mending|mender", "fix", "--mended", "we recommend amending it"),
    left_out("stitch|stitches|stitched|stitching", "rigid skinning", "Method::Stitch", "a switch"),
    left_out(
        "linear / blend !skinning|of|between|weight*",
        "linear blend skinning",
        "drawn by linear blend",
        "linear blend skinning",
    ),
    left_out("dab|dabs|dabbed", "brush stamp", "one dab of the brush", "a database"),
    left_out(
        "work|works|worked|working out",
        "compute, evaluate",
        "poses are worked out",
        "what works. Out of it",
    ),
    left_out(
        "work|works|worked|working it|them|this|that|these out",
        "compute, evaluate",
        "works it out",
        "it works with it",
    ),
    left_out("beforehand", "precompute, bake", "made beforehand", "before the hand"),
    left_out("by lot", "random", "joints drawn by lot", "by lots of joints"),
    left_out("giver|givers", "transfer source", "the giver's weights", "what it gives"),
    left_out("dress|dresses|dressed|dressing", "bind to a skeleton", "fn dress()", "an address"),
    left_out("helped", "driven pose", "the helped pose", "a helper joint"),
    unless_after(
        &["of", "in", "at"],
        left_out("sight|sights", "viewport input", "sight.document", "line of sight"),
    ),
    left_out("share|shares of", "weight, influence, fraction", "the share of a joint", "they share one mesh"),
    left_out(
        "a|its|each|every|equal|largest|larger|smaller|joint share|shares",
        "weight, influence, fraction",
        "its largest share",
        "joints share one mesh",
    ),
    left_out(
        "let|mut|fn|pub|self share|shares",
        "weight, influence, fraction",
        "let share = 0.5;",
        "let shared = 0.5;",
    ),
    unless_after(
        &["at", "the", "of", "for", "is", "are", "and"],
        left_out("least|most _ *", "min, max", "MOST_BYTES", "at_most_four_weights"),
    ),
    left_out("let|mut|fn|pub least|most", "min, max", "let most = 4;", "let almost = 4;"),
    unless_after(
        &["there", "here"],
        left_out(
            "is|are no !longer|more|such|way|need|different|match*|problem|one",
            "is not a, must be, is not valid",
            "the range is no range",
            "there is no clip, and it is no longer needed",
        ),
    ),
    left_out("slide|slides|sliding the view", "pan", "slides the view", "the view slides"),
    left_out("driver in software", "software renderer", "a driver in software", "a software renderer"),
    left_out("written down", "recovery journal, recorded", "what was written down", "written to disk"),
    left_out(
        "beside the window|page",
        "background job, web worker",
        "work beside the window",
        "beside the character",
    ),
    left_out("does|do|did not know", "unsupported", "Sinew does not know FBX", "now supported"),
    left_out("knows", "supports", "a reader knows six formats", "a well known format"),
    left_out("what it|they|one cost|costs", "cost, performance", "What it costs", "what it is"),
    left_out(
        "what a|the frame|motion|pose|keys|target|card take|takes",
        "cost, time",
        "what a frame takes",
        "what a frame is",
    ),
    left_out("the worst that", "worst case", "the worst that it can meet", "the worst case"),
    // US spelling.
    left_out("colour*|discolour*|recolour*", "color", "colours", "colors"),
    left_out("neighbour*", "neighbor", "neighbouring", "neighbors"),
    left_out("behaviour*|misbehaviour", "behavior", "its behaviour", "behavior"),
    left_out(
        "favour*|honour*|armour*|labour*|flavour*|harbour*|rigour|vapour|odour|rumour*|savour*",
        "-or",
        "favours",
        "favors",
    ),
    left_out("centre|centres|centred|centring|recentre*", "center", "the centre", "centroid"),
    left_out(
        "metre|metres|millimetre*|centimetre*|kilometre*|decimetre*|micrometre*",
        "meter",
        "two metres",
        "symmetric",
    ),
    left_out("fibre*|litre*|calibre|theatre|sombre|spectre|lustre", "-er", "a fibre", "a filter"),
    left_out("normalis*|renormalis*|denormalis*|unnormalis*", "normalize", "normalised", "normalized"),
    left_out(
        "quantis*|dequantis*|optimis*|unoptimis*|minimis*|maximis*|discretis*|regularis*|polaris*",
        "-ize",
        "quantises",
        "an optimum",
    ),
    left_out(
        "rasteris*|organis*|reorganis*|recognis*|unrecognis*|initialis*|uninitialis*|serialis*|deserialis*",
        "-ize",
        "a rasteriser",
        "a raster is",
    ),
    left_out(
        "factoris*|parametris*|parameteris*|triangularis*|orthogonalis*|diagonalis*|linearis*|randomis*|vectoris*",
        "-ize",
        "factorisation",
        "a factor is",
    ),
    left_out(
        "summaris*|generalis*|specialis*|visualis*|equalis*|standardis*|customis*|synchronis*|categoris*|emphasise*|localis*|finalis*|utilis*|materialis*|characteris*|stabilis*|penalis*|tokenis*|memoris*|authoris*|apologis*|criticis*|digitis*|harmonis*|idealis*|immunis*|modernis*|neutralis*|prioritis*|symbolis*|sanitis*|capitalis*|italicis*|realise*|realising|realisation*",
        "-ize",
        "summarises",
        "a realistic summary",
    ),
    left_out(
        "analyse|analysed|analyses|analysing|analyser|catalyse|paralyse*",
        "analyze",
        "analysed",
        "an analysis",
    ),
    left_out("labelled|labelling|unlabelled", "one l", "a labelled axis", "a labeled axis"),
    left_out(
        "travelled|travelling|modelled|modelling|signalled|signalling|levelled|levelling|swivelled|swivelling|channelled|jewellery|marvellous|fuelled|panelled|tunnelled",
        "one l",
        "travelled",
        "traveled",
    ),
    left_out("grey|greys|greyed|greyish|greyscale", "gray", "a grey cube", "gray"),
    left_out("licence|licences|defence|offence|pretence", "-se", "two licences", "a license"),
    left_out(
        "artefact*|catalogue*|analogue*|mould*|plough*|sceptic*|programme|programmes|whilst|amongst|tyre|tyres|aluminium|cosy|draught*|kerb|storey|storeys",
        "the US spelling",
        "an artefact",
        "an artifact of programmed catalogs",
    ),
];

pub(crate) const ALLOWED: &[Allowed] = &[
    Allowed { path: "xtask/src/words", pattern: "*", line: "", reason: "the table itself" },
    Allowed { path: "CHANGELOG.md", pattern: "*", line: "| `", reason: "old names in the migration table" },
    Allowed {
        path: "",
        pattern: "stitch|stitches|stitched|stitching",
        line: "alias",
        reason: "the command line accepts the old name of rigid skinning",
    },
    Allowed {
        path: "",
        pattern: "stitch|stitches|stitched|stitching",
        line: "`stitch`",
        reason: "names the alias in a sentence",
    },
    Allowed {
        path: "",
        pattern: "stitch|stitches|stitched|stitching",
        line: "\"stitch\"",
        reason: "names the alias in code",
    },
    Allowed {
        path: "",
        pattern: "stitch|stitches|stitched|stitching",
        line: "arm-stitched",
        reason: "the alias of a built-in character",
    },
    Allowed {
        path: "",
        pattern: "stitch|stitches|stitched|stitching",
        line: "stitch_is_an_older_name",
        reason: "a test of the alias",
    },
    Allowed {
        path: "",
        pattern: "stitch|stitches|stitched|stitching",
        line: "lso known as",
        reason: "the classic name, said once",
    },
    Allowed {
        path: "docs/",
        pattern: "stitch|stitches|stitched|stitching",
        line: "1998",
        reason: "quotes the article of 1998",
    },
    Allowed {
        path: "crates/sinew-studio",
        pattern: "labelled|labelling|unlabelled",
        line: "labelled_by",
        reason: "a function of egui",
    },
    Allowed {
        path: "crates/sinew-formats/src/markers.rs",
        pattern: "metre|metres|millimetre*|centimetre*|kilometre*|decimetre*|micrometre*",
        line: "=> Some(",
        reason: "files name their unit in either spelling",
    },
    Allowed {
        path: "crates/sinew-cli/src",
        pattern: "*",
        line: "alias = \"",
        reason: "the command line accepts older names and British spelling",
    },
    Allowed {
        path: "crates/sinew-cli/tests",
        pattern: "*",
        line: "\"normalise\"",
        reason: "a test of the alias",
    },
    Allowed {
        path: "crates/sinew-cli/tests",
        pattern: "*",
        line: "\"quantise\"",
        reason: "a test of the alias",
    },
    Allowed {
        path: "crates/sinew-studio/src",
        pattern: "*",
        line: "alias = \"",
        reason: "journals of older versions stay readable",
    },
    Allowed {
        path: "crates/sinew-studio/src/command",
        pattern: "*",
        line: "\"mend\"",
        reason: "the journal key of the fix command",
    },
    Allowed {
        path: "crates/sinew-studio/tests/it/journals.rs",
        pattern: "*",
        line: "{\"do\":",
        reason: "a journal of an older version",
    },
    Allowed {
        path: "crates/sinew/src/palette/polar.rs",
        pattern: "*",
        line: "characteristic polynomial",
        reason: "a term of linear algebra, not British spelling",
    },
    Allowed {
        path: "crates/sinew/src/asset",
        pattern: "let|mut|fn|pub|self share|shares",
        line: "pub fn shares_",
        reason: "a verb: two characters share one rig, two meshes share one shape",
    },
];
