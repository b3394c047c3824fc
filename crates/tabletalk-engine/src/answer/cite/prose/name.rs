//! The names that a text says: words in capitals, words with digits or signs inside, and what is quoted.

/// Words that begin a sentence with a capital and are no names.
const OPENERS: &str = "a about above according across additionally after again all also although an and another any \
are as at because before below besides both but by compared currently despite did do does due during each either \
every few first finally for from further furthermore had has have he hence her here his how however i if in including \
indeed instead is it its last later many meanwhile more moreover most much my neither no none nor not nothing now of \
often on once only or other others our out over overall she several similarly since so some still such than that the \
their them then there therefore these they this those though through thus to together too under unlike until up was \
we were what when where whereas whether which while who why will with within without yes yet you your it's there's \
das der die den dem des ein eine einer eines es er sie wir ich in im am an auf aus bei bis da damit dabei danach dann \
dass denn dies diese dieser dieses doch durch für gegen hier ihr ihre ist sind hat haben war waren wurde wurden wird \
werden insgesamt jede jeder jedoch kein keine laut mehr mit nach nicht nur ob obwohl ohne seit sein seine sich so \
sowie über um und unter viele vom von vor während was weil wenn wer wie wo zu zum zur zudem außerdem \
au aux avec ce ces cette c'est dans de des du elle elles en est et il ils la le les leur leurs l'on mais ne nous on ou \
par pas pour qui que quand sa ses si son sont sur un une vous";

/// The names of a text, each as it is written.
pub(super) fn names(text: &str, known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut is_first = true;
    for piece in text.split_whitespace() {
        for word in piece.split_inclusive(|c: char| !is_inside(c)) {
            let (bare, is_closed) = bare(word);
            if bare.is_empty() {
                is_first |= ends(word);
                close(&mut run, &mut names);
                continue;
            }
            match is_name(bare) && !(is_first && is_opener(bare, known)) {
                true => run.push(bare),
                false => close(&mut run, &mut names),
            }
            if is_closed {
                close(&mut run, &mut names);
            }
            is_first = is_closed && ends(word);
        }
    }
    close(&mut run, &mut names);
    names
}

/// What may stand inside a name: `O'Neill`, `A320-neo`, `AT&T`, `tabletalk.io`, `R_12`.
fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '&' | '_' | '@' | '/' | '.')
}

/// A word without the signs around it and the ending that says whose; whether something closes it.
fn bare(word: &str) -> (&str, bool) {
    let sign = |c: char| !c.is_alphanumeric();
    let bare = word.trim_matches(sign);
    let whose = ["'s", "’s"].iter().find_map(|end| bare.strip_suffix(end));
    (whose.unwrap_or(bare), word.ends_with(sign))
}

fn ends(word: &str) -> bool {
    word.ends_with(['.', '!', '?', ':', ';', '"', '“', '”', '('])
}

/// A capital, or letters with digits or signs that no plain word has.
fn is_name(word: &str) -> bool {
    let has_capital = word.chars().any(char::is_uppercase);
    let is_mixed = word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(|c| c.is_numeric());
    has_capital || is_mixed || word.contains(['@', '_', '&', '.', '/'])
}

/// A word that is no name although a sentence begins with it: one of every language, or one that is known in small letters.
fn is_opener(word: &str, known: &dyn Fn(&str) -> bool) -> bool {
    let mut letters = word.chars();
    let is_plain = letters.next().is_some_and(char::is_uppercase)
        && letters.all(|c| !c.is_uppercase() && !c.is_numeric());
    let small = word.to_lowercase();
    is_plain && (OPENERS.split_whitespace().any(|opener| opener == small) || known(&small))
}

fn close(run: &mut Vec<&str>, names: &mut Vec<String>) {
    if !run.is_empty() {
        names.push(run.join(" "));
        run.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        names(text, &|word| word == "suppliers")
    }

    #[test]
    fn names_are_what_is_written_like_one() {
        assert_eq!(of("The report says that Acme Corp and AT&T were late."), ["Acme Corp", "AT&T"]);
        assert_eq!(of("Acme's orders, Globex"), ["Acme", "Globex"]);
        assert_eq!(of("it came with flight lh400 in Q3"), ["lh400", "Q3"]);
        assert_eq!(of("Suppliers were late. However, Bergen was not."), ["Bergen"]);
    }

    #[test]
    fn a_name_at_the_beginning_is_one_too() {
        assert_eq!(of("Globex was late"), ["Globex"]);
        assert_eq!(of("“Initech” was early"), ["Initech"]);
        assert_eq!(of("McDonald was late"), ["McDonald"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,60}") {
            let _ = of(&text);
        }
    }
}
