//! The last word on what may stand in the reading view.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ammonia::{Builder, UrlRelative};

use super::external;
use super::writer::is_active;

const TAGS: &str = "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd \
    del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd \
    li main mark meter nav ol p pre progress q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot \
    th thead time tr tt u ul var wbr";

const ATTRIBUTES: &str = "class style title lang dir role tabindex align valign width height colspan rowspan start \
    reversed open datetime color face size span id";

/// Properties that change how text looks and can neither load anything nor leave their place.
const STYLE: &str = "color background-color font-family font-size font-style font-weight font-variant line-height \
    letter-spacing text-align text-decoration text-indent text-transform vertical-align white-space width height \
    max-width max-height min-width min-height margin margin-left margin-right margin-top margin-bottom padding \
    padding-left padding-right padding-top padding-bottom border border-color border-width border-style border-radius \
    border-collapse float display opacity";

/// What a style may work out.
const FUNCTIONS: &str = "rgb rgba hsl hsla hwb lab lch oklab oklch color-mix var calc min max clamp";

/// Whether a piece of a style ends with the name of a function.
fn is_call(before: &str, name: &str) -> bool {
    let rest = before.trim_end().strip_suffix(name);
    rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
}

/// Lets through only what can neither run nor load.
///
/// `asset_base` is how URLs of the vault's own files begin, if the window shows them by URL.
pub(super) fn clean(html: &str, asset_base: Option<&str>) -> String {
    let asset_base = asset_base.map(str::to_owned);
    let mut schemes: HashSet<&str> = ["http", "https", "mailto", "data"].into_iter().collect();
    schemes.extend(asset_base.as_deref().and_then(external::scheme));
    let base = asset_base.clone();
    Builder::empty()
        .tags(TAGS.split(' ').collect())
        .clean_content_tags(["script", "style"].into_iter().collect())
        .generic_attributes(ATTRIBUTES.split(' ').collect())
        .generic_attribute_prefixes(["data-", "aria-"].into_iter().collect())
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "rel"])),
            ("img", HashSet::from(["src", "alt", "loading"])),
            ("input", HashSet::from(["checked", "disabled"])),
            ("ol", HashSet::from(["type"])),
            ("progress", HashSet::from(["value", "max"])),
            ("meter", HashSet::from(["value", "min", "max", "low", "high", "optimum"])),
        ]))
        .tag_attribute_values(HashMap::from([("input", HashMap::from([("type", HashSet::from(["checkbox"]))]))]))
        .link_rel(None)
        .url_schemes(schemes)
        .url_relative(UrlRelative::PassThrough)
        .filter_style_properties(STYLE.split(' ').collect())
        .attribute_filter(move |element, attribute, value| kept(element, attribute, value, base.as_deref()))
        .clean(html)
        .to_string()
}

fn kept<'v>(element: &str, attribute: &str, value: &'v str, asset_base: Option<&str>) -> Option<Cow<'v, str>> {
    if attribute == "style" {
        let harmless = value.split(';').filter(|declaration| {
            let declaration = declaration.to_ascii_lowercase();
            let mut calls = declaration.split('(').rev().skip(1);
            !declaration.contains(['\\', '@'])
                && calls.all(|before| FUNCTIONS.split(' ').any(|name| is_call(before, name)))
        });
        return Some(Cow::Owned(harmless.collect::<Vec<_>>().join(";")));
    }
    let keeps = match (element, attribute) {
        ("a", "href") => {
            value.starts_with('#')
                || external::scheme(value).is_some_and(|scheme| {
                    ["http", "https", "mailto"].iter().any(|web| scheme.eq_ignore_ascii_case(web))
                })
        }
        ("img", "src") => external::is_inline_image(value) || asset_base.is_some_and(|base| value.starts_with(base)),
        _ => !is_active(value),
    };
    keeps.then_some(Cow::Borrowed(value))
}
